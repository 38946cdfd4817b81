import { expect, test } from "bun:test";
import { describeAction, describeTarget } from "./describe-action.ts";

const sentence = (action: string, target: { kind: string; id: string }, after: Record<string, unknown> | null = null): string =>
  `${describeAction(action)} ${describeTarget({ action, target, before: null, after }) ?? ""}`.trim();

test("formats a change as a sentence, with names instead of opaque IDs", () => {
  expect(sentence("key.revoke", { kind: "key", id: "1t8M70XpfTe0" }, { name: "ci" })).toBe("revoked the key ci");
  expect(sentence("credit.grant", { kind: "account", id: "acme" }, { name: "not the account's" })).toBe("granted credit to acme");
  expect(sentence("person.sign_in", { kind: "person", id: "person_1" }, { name: "Ada" })).toBe("signed in");
  expect(sentence("person.sign_in_failed", { kind: "person", id: "person_1" })).toBe("failed to sign in as person_1");
});

test("shows an unknown action by its API name", () => {
  expect(sentence("disk.throw_away", { kind: "disk", id: "a" })).toBe("disk throw away a");
  expect(describeAction("constructor")).toBe("constructor");
});
