import { expect, test } from "bun:test";
import { NO_CLOUD_VARIABLES } from "../../models/identities/cloud-variables.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import type { AzureIdentity } from "../../models/identities/identity.ts";
import { renewUpstream, type RemoteSettings } from "../../models/upstream-settings.ts";
import { ApiError } from "../../requests/api-error.ts";
import { FakeAuthorizer } from "../../../test/support/upstreams/fake-authorizer.ts";
import { Identities } from "./identities.ts";

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
  const renewed = renewUpstream(before, changed) as RemoteSettings;
  expect(renewed).toEqual(changed);
  expect(identities.authorizerOf(renewed)).toBe(authorizer);
  const other = renewUpstream(before, upstreamWith({ ...identity, clientId: "d" })) as RemoteSettings;
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
