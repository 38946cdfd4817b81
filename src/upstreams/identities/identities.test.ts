import { expect, test, afterAll, beforeEach, describe } from "bun:test";
import { NO_CLOUD_VARIABLES } from "../../models/identities/cloud-variables.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import type { AzureIdentity } from "../../models/identities/identity.ts";
import { reuseUpstreamIfEqual, type RemoteSettings } from "../../models/upstream-settings.ts";
import { ApiError } from "../../requests/api-error.ts";
import { FakeAuthorizer } from "../../../test/support/upstreams/fake-authorizer.ts";
import { Identities, BearerAuthorizer } from "./identities.ts";
import { FakeClock } from "../../../test/clouds/fake-clock.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { callOf, chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import { completion } from "../../../test/support/upstreams/mock-upstream.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { HttpUpstream } from "../http-upstream.ts";
import { openaiDialect } from "../openai/openai-dialect.ts";
import type { Completion } from "../upstream.ts";
import type { AccessToken, CredentialSource, ObtainedCredentials } from "./credential-source.ts";

const identity = { kind: "azure", tenantId: "t", clientId: "c", clientSecret: undefined, certificate: undefined, cloud: "public" } as const;

const upstreamWith = (own: AzureIdentity): RemoteSettings => ({
  ...remoteAt("u", undefined, { baseUrl: "https://a.example", allowPrivate: false }, []),
  identity: own,
});

test("each identity has one authorizer, also after a change of its upstream", () => {
  const identities = new Identities(NO_CLOUD_VARIABLES, () => new FakeAuthorizer());
  const before = upstreamWith(identity);
  const authorizer = identities.authorizerOf(before);
  expect(identities.authorizerOf(before)).toBe(authorizer);
  const changed = { ...upstreamWith({ ...identity }), timeouts: { ...before.timeouts, totalMs: 1 } };
  const renewed = reuseUpstreamIfEqual(before, changed) as RemoteSettings;
  expect(renewed).toEqual(changed);
  expect(identities.authorizerOf(renewed)).toBe(authorizer);
  const other = reuseUpstreamIfEqual(before, upstreamWith({ ...identity, clientId: "d" })) as RemoteSettings;
  expect(identities.authorizerOf(other)).not.toBe(authorizer);
  expect(identities.authorizerOf({})).toBeUndefined();
});

test("an identity that cannot be opened fails its requests, and says why in its state", async () => {
  const identities = new Identities(NO_CLOUD_VARIABLES, () => {
    throw new Error("the certificate is not PEM");
  });
  const authorizer = identities.authorizerOf({ identity })!;
  expect(authorizer.state).toMatchObject({ failure: "the certificate is not PEM", source: undefined });
  const request = { method: "GET", host: "a.example", target: "/", headers: {}, body: undefined } as const;
  const [failed] = await Promise.allSettled([(async () => authorizer.authorize(request))()]);
  const { reason } = failed as PromiseRejectedResult;
  expect([reason instanceof ApiError, (reason as ApiError).status]).toEqual([true, 503]);
});

describe("bearer authorizer", () => {
  const MINUTE = 60_000;

  /** Issues token-1, token-2, … */
  class Tokens implements CredentialSource<AccessToken> {
    readonly #clock: FakeClock;
    issued = 0;

    constructor(clock: FakeClock) {
      this.#clock = clock;
    }

    async obtain(): Promise<ObtainedCredentials<AccessToken>> {
      const token = new Secret(`token-${++this.issued}`);
      return { credentials: { token, expiresAtMs: this.#clock.nowMs() + 60 * MINUTE }, source: "a test" };
    }
  }

  /** The tokens of the requests in their order, and the responses that they wait for. */
  const asked: string[] = [];
  let responses: PromiseWithResolvers<Response>[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => responses[asked.push(request.headers.get("authorization")!.slice("Bearer ".length)) - 1]!.promise,
  });
  afterAll(() => server.stop(true));
  beforeEach(() => {
    asked.length = 0;
    responses = Array.from({ length: 6 }, () => Promise.withResolvers<Response>());
  });

  const clock = new FakeClock();
  const settings = remoteAt("u", undefined, { baseUrl: `http://127.0.0.1:${server.port}/v1`, allowPrivate: true }, []);

  function open(): { readonly tokens: Tokens; readonly call: () => Promise<Completion> } {
    const tokens = new Tokens(clock);
    const upstream = new HttpUpstream(settings, openaiDialect, new BearerAuthorizer(tokens, clock));
    return { tokens, call: () => upstream.complete(callOf(chatOf({ messages: [{ role: "user", content: "Hello" }] }))) };
  }

  const respond = (at: number, status: number, body: object = completion()): void =>
    responses[at]!.resolve(Response.json(body, { status }));
  const areAsked = (count: number): Promise<number> =>
    eventually(
      () => asked.length,
      (length) => length === count,
    );

  test("requests whose access token was rejected early are retried with the next one, which is obtained once", async () => {
    const { tokens, call } = open();
    const calls = [call(), call()];
    await areAsked(2);
    await clock.advance(2 * MINUTE);
    respond(0, 401);
    respond(2, 200);
    await Promise.race(calls);
    respond(1, 401);
    respond(3, 200);
    await Promise.all(calls);
    expect(asked).toEqual(["token-1", "token-1", "token-2", "token-2"]);
    expect(tokens.issued).toBe(2);
  });

  test("a request is retried once, and the error has none of its access tokens", async () => {
    const { call } = open();
    const failing = Promise.allSettled([call()]);
    await areAsked(1);
    await clock.advance(2 * MINUTE);
    respond(0, 401);
    respond(1, 401, { error: { message: "token-2 is as bad as token-1" } });
    const [failed] = await failing;
    const { detail } = (failed as PromiseRejectedResult).reason as ApiError;
    expect([asked.length, detail]).toEqual([2, "upstream status 401: [secret] is as bad as [secret]"]);
  });

  test("an error quotes no access token that was replaced while its request was in flight", async () => {
    const { call } = open();
    const calls = [call(), call()];
    const outcomes = Promise.allSettled(calls);
    await areAsked(2);
    await clock.advance(2 * MINUTE);
    respond(1, 401);
    respond(2, 200);
    await Promise.race(calls);
    respond(0, 403, { error: { message: "no permission for token-1" } });
    const failed = (await outcomes).find(({ status }) => status === "rejected");
    expect(((failed as PromiseRejectedResult).reason as ApiError).detail).toBe("upstream status 403: no permission for [secret]");
  });
});
