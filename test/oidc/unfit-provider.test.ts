import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { type FetchFunction, OidcSignIn, type OidcSettings } from "../../src/platform/sign-in/oidc.ts";
import { plainFetch } from "../../src/upstreams/egress/plain-fetch.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import { failureOf } from "./failure-of-sign-in.ts";
import { type Script, ScriptedProvider } from "./scripted-provider.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const DISCOVERY = "/.well-known/openid-configuration";
const SECRET = "client secret/canary";

let provider: ScriptedProvider;
beforeAll(async () => void (provider = await ScriptedProvider.start()));
beforeEach(() => {
  provider.script = {};
  provider.calls.length = 0;
});
afterAll(() => provider.stop());

function makeSignIn(
  settings: Partial<OidcSettings> = {},
  fetchUrl: FetchFunction = plainFetch(provider.issuer, WAIT_LIMIT_MS),
): OidcSignIn {
  const redirectUrl = "http://127.0.0.1:8701/callback";
  return new OidcSignIn(
    { issuer: provider.issuer, clientId: "tollgate", clientSecret: new Secret(SECRET), redirectUrl, ...settings },
    fetchUrl,
  );
}

const pathsCalled = (): string[] => provider.calls.map((call) => call.path);

describe("the provider's discovery document", () => {
  test("is fetched at the first sign-in, once for concurrent ones, and cached", async () => {
    const signIn = makeSignIn();
    expect(pathsCalled()).toEqual([]);
    await Promise.all([signIn.begin(), signIn.begin()]);
    await signIn.begin();
    expect(pathsCalled()).toEqual([DISCOVERY]);
  });

  test("is fetched again after an hour", async () => {
    const signIn = makeSignIn();
    await signIn.begin();
    const monotonicMs = performance.now();
    using clock = spyOn(performance, "now");
    clock.mockReturnValue(monotonicMs + 61 * 60 * 1000);
    await signIn.begin();
    expect(pathsCalled()).toEqual([DISCOVERY, DISCOVERY]);
  });

  test("is fetched again at the next sign-in after a failure", async () => {
    const signIn = makeSignIn();
    provider.script = { answers: { [DISCOVERY]: () => new Response("down", { status: 503 }) } };
    expect((await failureOf(signIn.begin())).code).toBe("no_upstream_available");
    provider.script = {};
    expect((await signIn.begin()).url).toStartWith(`${provider.issuer}/authorize?`);
  });

  const unusable: [what: string, script: () => Script][] = [
    ["if it is another provider's", () => ({ metadata: { issuer: "https://elsewhere.test" } })],
    ["if it is not there", () => ({ answers: { [DISCOVERY]: () => new Response("no", { status: 404 }) } })],
    ["if it is a page", () => ({ answers: { [DISCOVERY]: () => new Response("<p>Hello", { headers: { "content-type": "text/html" } }) } })],
    [
      "if it is elsewhere: no redirect is followed",
      () => ({ answers: { [DISCOVERY]: () => Response.redirect(`${provider.issuer}/other`) } }),
    ],
    ["if it does not say where to sign in", () => ({ metadata: { authorization_endpoint: undefined } })],
    ["if one would sign in at a script", () => ({ metadata: { authorization_endpoint: "javascript:alert(1)" } })],
  ];
  for (const [what, script] of unusable) {
    test(`is rejected ${what}`, async () => {
      provider.script = script();
      const failure = await failureOf(makeSignIn().begin());
      expect([failure.code, failure.message]).toEqual(["upstream_error", expect.stringContaining("notify the operator")]);
      expect(pathsCalled()).toEqual([DISCOVERY]);
    });
  }

  test("is rejected for a multi-tenant issuer", async () => {
    const issuer = "https://login.microsoftonline.com/common/v2.0";
    const said = { issuer: "https://login.microsoftonline.com/{tenantid}/v2.0", authorization_endpoint: `${issuer}/authorize` };
    const failure = await failureOf(makeSignIn({ issuer }, async () => Response.json(said)).begin());
    expect([failure.code, failure.detail]).toEqual(["upstream_error", expect.stringContaining("{tenantid}")]);
  });

  test("is not fetched without TLS, except on this machine", async () => {
    const asked: string[] = [];
    const fetchUrl: FetchFunction = async (url) => {
      asked.push(url);
      return Response.json({});
    };
    for (const issuer of ["http://provider.test", "http://10.0.0.1", "http://localhost.provider.test", "http://127.0.0.1.provider.test"]) {
      expect((await failureOf(makeSignIn({ issuer }, fetchUrl).begin())).detail).toContain("only requests to HTTPS");
    }
    expect(asked).toEqual([]);
  });
});

describe("the client secret", () => {
  const basic = `Basic ${btoa(`tollgate:${new URLSearchParams([["", SECRET]]).toString().slice(1)}`)}`;

  test("is sent by the default method, or by the one that the provider announces", async () => {
    expect(await secretSentTo(undefined)).toEqual([null, basic]);
    expect(await secretSentTo(["client_secret_post", "client_secret_basic"])).toEqual([null, basic]);
    expect(await secretSentTo(["client_secret_post"])).toEqual([SECRET, null]);
  });

  test("does not follow a redirect", async () => {
    provider.script = { answers: { "/token": () => Response.redirect(`${provider.issuer}/thief`, 307) } };
    const failure = await failureOf(signInOnce());
    expect(failure.code).toBe("upstream_error");
    expect(pathsCalled()).toEqual([DISCOVERY, "/token"]);
  });

  test("that is rejected is the operator's problem", async () => {
    provider.script = { answers: { "/token": () => Response.json({ error: "invalid_client" }, { status: 400 }) } };
    expect((await failureOf(signInOnce())).code).toBe("upstream_error");
  });

  test("is redacted from the log when the provider echoes it, also when truncation cuts it in half", async () => {
    for (const before of ["what is ", "a".repeat(425)]) {
      const said = { error: "invalid_grant", error_description: `${before}${SECRET}` };
      provider.script = { answers: { "/token": () => Response.json(said, { status: 400 }) } };
      const failure = await failureOf(signInOnce());
      expect([failure.code, failure.detail]).toEqual(["sign_in_failed", expect.stringContaining(`${before}[sec`)]);
      expect(failure.detail).not.toContain("client");
    }
  });

  test("is redacted from the log when the provider echoes the header", async () => {
    const said = { error: "invalid_grant", error_description: `you sent ${basic}` };
    provider.script = { answers: { "/token": () => Response.json(said, { status: 400 }) } };
    expect((await failureOf(signInOnce())).detail).toEndWith("you sent Basic [secret]");
  });
});

describe("a provider is unreachable", () => {
  const cases: [what: string, answers: Script["answers"] & object][] = [
    ["that is silent", { [DISCOVERY]: stalled }],
    ["that is silent when the code is redeemed", { "/token": stalled }],
    ["that does not give its keys", { "/keys": stalled }],
    ["that fails", { "/token": () => Response.json({ error: "server_error" }, { status: 500 }) }],
    ["that is asked too often", { "/keys": () => new Response("slow down", { status: 429 }) }],
    ["that never comes to an end", { [DISCOVERY]: dripping }],
  ];
  for (const [what, answers] of cases) {
    test(what, async () => {
      provider.script = { answers };
      const failure = await failureOf(signInOnce(plainFetch(provider.issuer, 300)));
      expect([failure.code, failure.message]).toEqual(["no_upstream_available", expect.stringContaining("cannot be reached")]);
    });
  }
});

/** Where a provider with these methods receives the client secret: in the form, or in the header. */
async function secretSentTo(methods: string[] | undefined): Promise<[form: string | null, header: string | null]> {
  provider.script = { metadata: { token_endpoint_auth_methods_supported: methods } };
  await signInOnce();
  const { form, headers } = provider.calls.findLast((call) => call.path === "/token")!;
  return [form.get("client_secret"), headers.get("authorization")];
}

async function signInOnce(fetchUrl: FetchFunction = plainFetch(provider.issuer, WAIT_LIMIT_MS)): Promise<unknown> {
  const signIn = makeSignIn({}, fetchUrl);
  const { url, pending } = await signIn.begin();
  return signIn.finish(provider.agree(url), pending);
}

function stalled(): Promise<Response> {
  return new Promise(() => undefined);
}

/** Sends a space now and then, and nothing else. */
function dripping(): Response {
  return new Response(new ReadableStream({ pull: drip }), { headers: { "content-type": "application/json" } });
}

async function drip(body: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
  await Bun.sleep(20);
  body.enqueue(new TextEncoder().encode(" "));
}
