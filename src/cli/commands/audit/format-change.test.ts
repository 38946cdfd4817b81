import { expect, test } from "bun:test";
import type { Change } from "../../../../platform-client/types.ts";
import { describeChange } from "./format-change.ts";

type Fields = Change["before"];

function formatted(action: string, before: Fields, after: Fields): string {
  const target = { kind: action.split(".")[0]!, id: "tollgate.yaml" };
  const view: Change = {
    id: 1,
    at: "",
    actor: "",
    actor_name: "",
    address: null,
    request_id: null,
    action,
    target,
    account: null,
    before,
    after,
  };
  return describeChange(view);
}

test("a change is formatted by field, with none for null", () => {
  const before = { caps: { day: "5.00", month: null }, models: ["*"], active: true };
  expect(formatted("key.update", before, { ...before, caps: { day: null, month: "9.00" }, models: ["a", "b"] })).toBe(
    "caps.day: 5.00 → none; models: * → a, b; caps.month: none → 9.00",
  );
  expect(formatted("key.create", null, { id: "x", created_at: "now", name: "app", limits: {}, active: false })).toBe(
    "name: app; active: false",
  );
  expect(formatted("key.remove", before, null)).toBe("");
});

test("a webhook without a list of alerts sends all of them", () => {
  const some = { alerts: ["credit.low"], name: "on call" };
  expect(formatted("webhook.update", some, { ...some, alerts: null })).toBe("alerts: credit.low → all");
  expect(formatted("webhook.update", { ...some, alerts: null }, some)).toBe("alerts: all → credit.low");
});

test("a reload is formatted by resource, with the changed fields of each", () => {
  const model = { kind: "model", id: "m", owned_by: "us", routes: [{ upstream: "e", model: "x" }] };
  const before = {
    changed: [model],
    removed: [
      { kind: "upstream", id: "u" },
      { kind: "account", id: "acme" },
    ],
  };
  const after = { added: [{ kind: "model", id: "n", owned_by: "us" }], changed: [{ ...model, routes: [] }], digest: "ab" };
  expect(formatted("config.reload", before, after)).toBe(
    "added model n; changed model m (routes: upstream e model x → none); removed upstream u; no longer in the file: account acme",
  );
  const bare = { changed: [{ kind: "model", id: "m" }], removed: [] };
  expect(formatted("config.reload", bare, { added: [], changed: bare.changed })).toBe("changed model m");
});

test("long lists and deep objects are truncated", () => {
  const prices = [{ version: "v", tiers: [{ above: 1, rates: { input: 2 } }], source: "x".repeat(100) }];
  const text = formatted(
    "config.load",
    { digest: "a" },
    { upstreams: ["1", "2", "3", "4", "5", "6", "7"].map((id) => ({ id })), prices, digest: "b" },
  );
  expect(text).toBe(
    `upstreams: none → 1, 2, 3, 4, 5 and 2 more; prices: none → version v tiers above 1 rates input 2 source ${"x".repeat(14)}…`,
  );
});
