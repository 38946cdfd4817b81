import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { base64url, SignJWT } from "jose";
import type { OidcIdentity } from "../../src/platform/sign-in/oidc-identity.ts";
import { OidcSignIn } from "../../src/platform/sign-in/oidc.ts";
import { plainFetch } from "../../src/upstreams/egress/plain-fetch.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import { failureOf } from "./failure-of-sign-in.ts";
import { type Claims, makeKey, type Script, ScriptedProvider, type SigningKey, sign } from "./scripted-provider.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

let provider: ScriptedProvider;
beforeAll(async () => void (provider = await ScriptedProvider.start()));
beforeEach(() => void (provider.script = {}));
afterAll(() => provider.stop());

function makeSignIn(): OidcSignIn {
  const redirectUrl = "http://127.0.0.1:8701/callback";
  const clientSecret = new Secret("client-secret-canary");
  return new OidcSignIn(
    { issuer: provider.issuer, clientId: "tollgate", clientSecret, redirectUrl },
    plainFetch(provider.issuer, WAIT_LIMIT_MS),
  );
}

async function signInWith(script: Script, signIn = makeSignIn()): Promise<OidcIdentity> {
  provider.script = script;
  const { url, pending } = await signIn.begin();
  return signIn.finish(provider.agree(url), pending);
}

test("a valid token is accepted, so the following ones are rejected for their defect", async () => {
  expect(await signInWith({})).toMatchObject({ issuer: provider.issuer, subject: "ada", email: "ada@example.test" });
});

describe("a token is rejected", () => {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const cases: [what: string, script: Script, detail: RegExp][] = [
    ["with the nonce of another sign-in", { claims: { nonce: "another" } }, /nonce/],
    ["with no nonce", { claims: { nonce: undefined } }, /nonce/],
    ["for another audience", { claims: { aud: "somebody-else" } }, /aud/],
    ["for several audiences, requested by another", { claims: { aud: ["tollgate", "else"], azp: "else" } }, /azp/],
    ["of another issuer", { claims: { iss: "https://elsewhere.test" } }, /iss/],
    ["that has expired", { claims: { iat: nowSeconds - 7200, exp: nowSeconds - 3600 } }, /exp/],
    ["that never expires", { claims: { exp: undefined } }, /exp/],
    ["of nobody", { claims: { sub: undefined } }, /sub/],
    ["with a subject longer than one may be", { claims: { sub: "a".repeat(256) } }, /subject has 256/],
    ["signed by another key under the same name", { sign: async (claims, key) => sign(claims, await makeKey(key.id)) }, /signature/],
    [
      "signed by a key that the provider does not tell",
      { sign: async (claims) => sign(claims, await makeKey("other")) },
      /no applicable keys/,
    ],
    ["whose claims were changed after signing", { sign: signThenChange }, /signature/],
    ["that is not signed, though the provider allows it", { sign: unsigned, metadata: allowing("none") }, /unsupported/],
    ["that is not signed, nor allowed to be", { sign: unsigned }, /alg/],
    ["signed with our own secret", { sign: signWithSecret, metadata: allowing("HS256") }, /unsupported/],
    ["that is not a token", { sign: () => "a.b.c" }, /JWT/],
  ];
  for (const [what, script, detail] of cases) {
    test(what, async () => {
      const failure = await failureOf(signInWith(script));
      expect([failure.code, failure.message]).toEqual(["sign_in_failed", expect.stringMatching(/^The sign-in failed\./)]);
      expect(failure.detail).toMatch(detail);
    });
  }

  test("without an ID token", async () => {
    const answers = { "/token": () => Response.json({ access_token: "access", token_type: "Bearer" }) };
    expect((await failureOf(signInWith({ answers }))).detail).toContain("id_token");
  });
});

describe("keys", () => {
  test("that were rotated a moment ago are found", async () => {
    const signIn = makeSignIn();
    await signInWith({}, signIn);
    await provider.changeKeys();
    expect(await signInWith({}, signIn)).toMatchObject({ subject: "ada" });
  });

  test("that were withdrawn are no longer trusted", async () => {
    const signIn = makeSignIn();
    const old = await makeKey("second");
    const answers = { "/keys": () => Response.json({ keys: [old.publicJwk] }) };
    const signWithOld = (claims: Claims): Promise<string> => sign(claims, old);
    expect(await signInWith({ sign: signWithOld, answers }, signIn)).toMatchObject({ subject: "ada" });
    await provider.changeKeys();
    expect((await failureOf(signInWith({ sign: signWithOld }, signIn))).detail).toMatch(/signature/);
  });
});

describe("UserInfo", () => {
  test("is requested when the token has no email address", async () => {
    const said = { sub: "ada", email: "a@example.test", email_verified: true, name: "Ada" };
    const identity = await signInWith(asking({ email: undefined }, said));
    expect(identity).toMatchObject({ email: "a@example.test", emailVerified: true, name: "Ada" });
    expect(provider.calls.at(-1)!.headers.get("authorization")).toBe("Bearer access");
  });

  test("is rejected when it is about another subject", async () => {
    const failure = await failureOf(
      signInWith(asking({ email: undefined }, { sub: "eve", email: "a@example.test", email_verified: true })),
    );
    expect([failure.code, failure.detail]).toEqual(["sign_in_failed", expect.stringContaining('"sub"')]);
  });

  test("does not verify the address of the token", async () => {
    const said = { sub: "ada", email: "hers@example.test", email_verified: true };
    expect(await signInWith(asking({ email: "not-hers@example.test" }, said))).toMatchObject({ emailVerified: false });
  });
});

/** A provider with this UserInfo response, and an ID token with these claims. */
function asking(claims: Claims, said: Claims): Script {
  return { metadata: { userinfo_endpoint: `${provider.issuer}/me` }, claims, answers: { "/me": () => Response.json(said) } };
}

function allowing(algorithm: string): Claims {
  return { id_token_signing_alg_values_supported: ["ES256", algorithm] };
}

function unsigned(claims: Claims): string {
  return `${base64url.encode(JSON.stringify({ alg: "none" }))}.${base64url.encode(JSON.stringify(claims))}.`;
}

function signWithSecret(claims: Claims): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode("client-secret-canary"));
}

async function signThenChange(claims: Claims, key: SigningKey): Promise<string> {
  const [header, , signature] = (await sign(claims, key)).split(".");
  return `${header}.${base64url.encode(JSON.stringify({ ...claims, sub: "somebody-else" }))}.${signature}`;
}
