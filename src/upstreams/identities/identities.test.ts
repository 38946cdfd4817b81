import { expect, test } from "bun:test";
import { NO_CLOUD_VARIABLES } from "../../models/identities/cloud-variables.ts";
import { ApiError } from "../../requests/api-error.ts";
import { FakeAuthorizer } from "../../../test/support/upstreams/fake-authorizer.ts";
import { Identities } from "./identities.ts";

const identity = { kind: "azure", tenantId: "t", clientId: "c", clientSecret: undefined, certificate: undefined, cloud: "public" } as const;

test("each identity has one authorizer", () => {
  const identities = new Identities(NO_CLOUD_VARIABLES, () => new FakeAuthorizer());
  expect(identities.authorizerOf({ identity })).toBe(identities.authorizerOf({ identity }));
  expect(identities.authorizerOf({ identity: { ...identity } })).not.toBe(identities.authorizerOf({ identity }));
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
