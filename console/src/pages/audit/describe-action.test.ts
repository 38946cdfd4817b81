import { expect, test } from "bun:test";
import { describeAction, describeTarget } from "./describe-action.ts";

const told = (action: string, target: { kind: string; id: string }, after: Record<string, unknown> | null = null): string =>
  `${describeAction(action)} ${describeTarget({ action, target, before: null, after }) ?? ""}`.trim();

test("a change reads as a sentence, with names in place of ids that mean nothing", () => {
  expect(told("key.revoke", { kind: "key", id: "1t8M70XpfTe0" }, { name: "ci" })).toBe("revoked the key ci");
  expect(told("credit.grant", { kind: "account", id: "acme" }, { name: "not the account's" })).toBe("granted credit to acme");
  expect(told("person.sign_in", { kind: "person", id: "person_1" }, { name: "Ada" })).toBe("signed in");
  expect(told("person.sign_in_failed", { kind: "person", id: "person_1" })).toBe("failed to sign in as person_1");
});

test("what this console does not know is told as the platform calls it", () => {
  expect(told("disk.throw_away", { kind: "disk", id: "a" })).toBe("disk throw away a");
  expect(describeAction("constructor")).toBe("constructor");
});
