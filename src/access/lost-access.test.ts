import { expect, test } from "bun:test";
import { withLossesKept, withLossesOf } from "./lost-access.ts";
import { disabled, makePerson, withoutSessions, type Person } from "./person.ts";

const INVITATION = { hash: "hash", expiresAtMs: 9 };
const IDENTITY = { issuer: "https://provider.test", subject: "1" };

const operator: Person = {
  ...makePerson({ email: "ada@example.test", name: "Ada", role: "operator", accountId: null, invitation: INVITATION }, 1),
  passwordHash: "old",
  identity: IDENTITY,
};
const member: Person = { ...operator, role: "member", accountId: "acme" };
const invited: Person = { ...member, passwordHash: null, identity: null };

test("removed access stays removed", () => {
  const losses: [Person, Person][] = [
    [operator, disabled(operator, 5)],
    [operator, withoutSessions(operator)],
    [operator, { ...withoutSessions(operator), role: "member", accountId: "acme" }],
    [member, { ...withoutSessions(member), accountId: "other" }],
    [operator, { ...operator, invitation: null }],
    [operator, { ...operator, identity: null }],
    [operator, { ...operator, tokenGeneration: 1 }],
  ];
  for (const [before, after] of losses) expect(withLossesOf(before, after)).toEqual(after);
});

test("granted access and unrelated changes are reverted", () => {
  const gains: [Person, Person][] = [
    [disabled(member, 5), { ...disabled(member, 5), disabledAtMs: null }],
    [member, { ...member, role: "operator", accountId: null }],
    [member, { ...member, name: "Eve", passwordHash: "new" }],
    [invited, { ...invited, invitation: null, passwordHash: "new" }],
    [invited, { ...invited, invitation: null, identity: IDENTITY }],
    [{ ...invited, invitation: null }, invited],
  ];
  for (const [before, after] of gains) expect(withLossesOf(before, after)).toEqual(before);
});

test("a change that does both keeps only the removals", () => {
  const promoted = { ...withoutSessions(member), role: "operator", accountId: null } as const;
  expect(withLossesOf(member, promoted)).toEqual(withoutSessions(member));
  const invitedAnew = { ...member, invitation: { hash: "another", expiresAtMs: 10 } };
  expect(withLossesOf(member, invitedAnew)).toEqual({ ...member, invitation: null });
  const other = { ...member, identity: { ...IDENTITY, subject: "2" } };
  expect(withLossesOf(member, other)).toEqual({ ...member, identity: null });
});

test("a disabled person keeps no link, whatever else changes", () => {
  expect(withLossesOf(member, { ...disabled(member, 5), passwordHash: "new" })).toEqual(disabled(member, 5));
});

test("lost access stays lost where other things have changed since", () => {
  const losses: [Person, Person][] = [
    [operator, disabled(operator, 5)],
    [operator, { ...operator, role: "member", accountId: "acme" }],
    [operator, { ...operator, identity: null, invitation: null }],
    [operator, { ...operator, sessionGeneration: 7, tokenGeneration: 8 }],
  ];
  for (const [written, inForce] of losses) {
    expect(withLossesKept({ ...written, name: "Eve" }, written, inForce)).toEqual({ ...inForce, name: "Eve" });
  }
});

test("a later change of the same access counts", () => {
  const inForce = { ...disabled(member, 5), accountId: "other", identity: null };
  const later = {
    ...disabled(member, 6),
    accountId: "beta",
    identity: { issuer: "https://provider.test", subject: "2" },
    invitation: { hash: "later", expiresAtMs: 9 },
  };
  expect(withLossesKept(later, member, inForce)).toEqual(later);
});
