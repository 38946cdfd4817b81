import { describe, expect, test } from "bun:test";
import { type OidcIdentity, toIdentity } from "./oidc-identity.ts";

function identityOf(profile: Record<string, unknown>): OidcIdentity {
  const token = { iss: "https://provider.test", sub: "ada", aud: "tollgate", iat: 0, exp: 1 };
  return toIdentity(token, { ...token, ...profile });
}

describe("an email address", () => {
  test("is verified if the provider says so, with the standard boolean or Apple's string", () => {
    const verified = [true, "true", false, "false", 1, null, undefined].map(
      (email_verified) => identityOf({ email: "ada@example.test", email_verified }).emailVerified,
    );
    expect(verified).toEqual([true, true, false, false, false, false, false]);
  });

  test("that is invalid is neither given nor verified", () => {
    for (const email of [
      "",
      "ada",
      "ada@",
      "a@b@c",
      "ada @example.test",
      "ada@example.test\n",
      "ada\u200B@example.test",
      "ada\u202E@example.test",
      5,
      ["ada@example.test"],
      `${"a".repeat(250)}@b.test`,
    ]) {
      expect(identityOf({ email, email_verified: true })).toMatchObject({ email: undefined, emailVerified: false });
    }
  });
});

test("a name is used if it can be displayed", () => {
  expect(identityOf({ name: "Ada Łovelace 王" }).name).toBe("Ada Łovelace 王");
  for (const name of ["", "Ada\u001B[2J", "Ada\u202Eecalevol", "a".repeat(101), 5, undefined])
    expect(identityOf({ name }).name).toBeUndefined();
});
