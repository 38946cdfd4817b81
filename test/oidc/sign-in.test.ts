import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OidcSignIn } from "../../src/platform/sign-in/oidc.ts";
import { formatPending, PENDING_FOR_SECONDS, parsePending } from "../../src/platform/sign-in/oidc-pending.ts";
import { plainFetch } from "../../src/upstreams/egress/plain-fetch.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import { type RunningOidcProvider, startOidcProvider } from "./start-provider.ts";
import { failureOf } from "./failure-of-sign-in.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const REDIRECT_URL = "http://127.0.0.1:8701/api/sign-in/callback";
const ADA = { sub: "ada-1815", email: "ada@example.test", email_verified: true, name: "Ada Lovelace" };

let provider: RunningOidcProvider;
beforeAll(async () => void (provider = await startOidcProvider()));
afterAll(() => provider.stop());

function makeSignIn(settings: { clientId?: string; clientSecret?: Secret | undefined } = {}): OidcSignIn {
  const client = { clientId: provider.clientId, clientSecret: new Secret(provider.clientSecret) };
  return new OidcSignIn(
    { issuer: provider.issuer, redirectUrl: REDIRECT_URL, ...client, ...settings },
    plainFetch(provider.issuer, WAIT_LIMIT_MS),
  );
}

describe("a complete sign-in", () => {
  test("returns the issuer, the subject, the email address, whether it is verified, and the name", async () => {
    const signIn = makeSignIn();
    const { url, pending } = await signIn.begin();
    const identity = await signIn.finish(await provider.signInAs(url, ADA), pending);
    expect(identity).toEqual({
      issuer: provider.issuer,
      subject: "ada-1815",
      email: "ada@example.test",
      emailVerified: true,
      name: "Ada Lovelace",
    });
  });

  test("does not treat an unverified address as verified", async () => {
    const signIn = makeSignIn();
    const { url, pending } = await signIn.begin();
    const back = await provider.signInAs(url, { sub: "eve", email: "ada@example.test", email_verified: false });
    expect(await signIn.finish(back, pending)).toMatchObject({ email: "ada@example.test", emailVerified: false, name: undefined });
  });

  test("works for a public client without a secret", async () => {
    const signIn = makeSignIn({ clientId: provider.publicClientId, clientSecret: undefined });
    const { url, pending } = await signIn.begin();
    expect(await signIn.finish(await provider.signInAs(url, ADA), pending)).toMatchObject({ subject: "ada-1815" });
  });

  test("works behind a proxy with another internal URL", async () => {
    const signIn = makeSignIn();
    const { url, pending } = await signIn.begin();
    const { search } = new URL(await provider.signInAs(url, ADA));
    expect(await signIn.finish(`http://inside:9/else${search}`, pending)).toMatchObject({ subject: "ada-1815" });
  });

  test("survives a restart in between: the cookie has the whole state", async () => {
    const { url, pending } = await makeSignIn().begin();
    const kept = parsePending(formatPending(pending));
    expect(await makeSignIn().finish(await provider.signInAs(url, ADA), kept!)).toMatchObject({ subject: "ada-1815" });
  });
});

describe("a sign-in is rejected", () => {
  test("with the state of another sign-in, or none", async () => {
    const signIn = makeSignIn();
    const [mine, another] = [await signIn.begin(), await signIn.begin()];
    const back = await provider.signInAs(another.url, ADA);
    const failure = await failureOf(signIn.finish(back, mine.pending));
    expect([failure.code, failure.detail]).toEqual(["sign_in_failed", expect.stringContaining('unexpected "state"')]);
    expect((await failureOf(signIn.finish(without("state", back), another.pending))).detail).toContain('"state" missing');
    expect(await signIn.finish(back, another.pending)).toMatchObject({ subject: "ada-1815" });
  });

  test("without a code", async () => {
    const signIn = makeSignIn();
    const { url, pending } = await signIn.begin();
    const failure = await failureOf(signIn.finish(without("code", await provider.signInAs(url, ADA)), pending));
    expect([failure.code, failure.detail]).toEqual(["sign_in_failed", expect.stringContaining("no authorization code")]);
  });

  test("with a used code", async () => {
    const signIn = makeSignIn();
    const { url, pending } = await signIn.begin();
    const back = await provider.signInAs(url, ADA);
    await signIn.finish(back, pending);
    const failure = await failureOf(signIn.finish(back, pending));
    expect([failure.code, failure.detail]).toEqual(["sign_in_failed", expect.stringContaining("invalid_grant")]);
  });

  test("after ten minutes", async () => {
    const signIn = makeSignIn();
    const { url, pending } = await signIn.begin();
    const back = await provider.signInAs(url, ADA);
    const early = { ...pending, startedAtMs: pending.startedAtMs - PENDING_FOR_SECONDS * 1000 - 1000 };
    const failure = await failureOf(signIn.finish(back, early));
    expect([failure.code, failure.detail]).toEqual(["sign_in_failed", "expired"]);
  });

  test("that was cancelled at the provider", async () => {
    const signIn = makeSignIn();
    const { url, pending } = await signIn.begin();
    const failure = await failureOf(signIn.finish(await provider.refuse(url), pending));
    expect([failure.code, failure.message]).toEqual(["sign_in_failed", "The sign-in provider rejected the sign-in."]);
    expect(failure.detail).toContain("access_denied: not today");
  });

  test("whose response has another issuer, or none", async () => {
    const signIn = makeSignIn();
    const { url, pending } = await signIn.begin();
    const back = await provider.signInAs(url, ADA);
    const elsewhere = new URL(back);
    elsewhere.searchParams.set("iss", "https://elsewhere.test");
    expect((await failureOf(signIn.finish(elsewhere.href, pending))).detail).toContain('unexpected "iss"');
    expect((await failureOf(signIn.finish(without("iss", back), pending))).detail).toContain('"iss" (issuer) missing');
  });
});

describe("PKCE", () => {
  test("is sent: this provider rejects clients without it", async () => {
    const { url } = await makeSignIn().begin();
    expect(new URL(url).searchParams.get("code_challenge_method")).toBe("S256");
    const refused = new URL(await provider.signInAs(without("code_challenge", without("code_challenge_method", url)), ADA));
    expect(refused.searchParams.get("error_description")).toContain("PKCE");
  });

  test("makes a stolen code useless without its verifier", async () => {
    const signIn = makeSignIn();
    const { url, pending } = await signIn.begin();
    const { codeVerifier } = (await signIn.begin()).pending;
    const failure = await failureOf(signIn.finish(await provider.signInAs(url, ADA), { ...pending, codeVerifier }));
    expect([failure.code, failure.detail]).toEqual(["sign_in_failed", expect.stringContaining("invalid_grant")]);
  });
});

test("a wrong client secret is reported as the operator's problem, and not revealed", async () => {
  const signIn = makeSignIn({ clientSecret: new Secret("not-the-secret-canary") });
  const { url, pending } = await signIn.begin();
  const failure = await failureOf(signIn.finish(await provider.signInAs(url, ADA), pending));
  expect([failure.code, failure.detail]).toEqual(["upstream_error", expect.stringContaining("invalid_client")]);
  expect(`${failure.message} ${failure.detail}`).not.toContain("canary");
});

test("an unreachable provider is reported at the start and at the end of a sign-in", async () => {
  const leaving = await startOidcProvider();
  const settings = { issuer: leaving.issuer, clientId: leaving.clientId, clientSecret: new Secret(leaving.clientSecret) };
  const make = (): OidcSignIn => new OidcSignIn({ ...settings, redirectUrl: REDIRECT_URL }, plainFetch(leaving.issuer, WAIT_LIMIT_MS));
  const signIn = make();
  const { url, pending } = await signIn.begin();
  const back = await leaving.signInAs(url, ADA);
  await leaving.stop();
  for (const failing of [signIn.finish(back, pending), make().begin()]) {
    const failure = await failureOf(failing);
    expect([failure.code, failure.message]).toEqual(["no_upstream_available", expect.stringContaining("cannot be reached")]);
  }
});

function without(parameter: string, address: string): string {
  const url = new URL(address);
  url.searchParams.delete(parameter);
  return url.href;
}
