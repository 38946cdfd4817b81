import { expect, test } from "bun:test";
import { isUsable, issueAccessToken } from "./access-token.ts";
import { disabled, makePerson, normalizeEmail } from "./person.ts";
import { Secret } from "../lib/secret/secret.ts";
import { beginSession, isSignedIn } from "./session.ts";

test("email addresses are case-insensitive, and similar-looking letters are different", () => {
  expect(normalizeEmail("Kate@Example.TEST")).toBe("kate@example.test");
  expect(normalizeEmail("\u212Aate@example.test")).not.toBe("kate@example.test");
  expect(normalizeEmail("\u0130da@example.test")).toBe("\u0130da@example.test");
});

test("a disabled person cannot sign in with old or new credentials", () => {
  const ada = makePerson({ email: "ada@example.test", name: "Ada", role: "operator", accountId: null, invitation: null }, 0);
  const off = disabled(ada, 1);
  const wanted = { name: "deploy", scopes: [], expiresAtMs: 1000 };
  for (const [owner, isIn] of [
    [ada, true],
    [off, false],
  ] as const) {
    const { session } = beginSession(owner, { address: null, userAgent: null }, 0);
    const { record } = issueAccessToken(owner, wanted, new Secret("s"), 0);
    expect([isSignedIn(session, owner, 2), isUsable(record, owner, 2)]).toEqual([isIn, isIn]);
    expect([isSignedIn(session, off, 2), isUsable(record, off, 2)]).toEqual([false, false]);
  }
});
