import { expect, test } from "bun:test";
import { describeAlert } from "./describe-alert.ts";

const ACCOUNT = { id: "acme", name: "Acme Inc." };

test.each([
  [
    "credit.low",
    { account: ACCOUNT, credit: "4.20", low_credit: "25.00" },
    "The account Acme Inc. has $4.20 left. Its low-credit threshold is $25.00.",
  ],
  ["credit.low", { account: ACCOUNT, credit: "0.01", low_credit: "0.00" }, "The account Acme Inc. has $0.01 left. Requests are rejected."],
  [
    "cap.near",
    { scope: "key", key: { id: "k", name: "app" }, account: ACCOUNT, period: "month", cap: "100.00", spent: "80.50" },
    "The key app has spent $80.50 of its monthly cap of $100.00.",
  ],
  [
    "cap.reached",
    { scope: "account", account: ACCOUNT, period: "total", cap: "100.00", spent: "99.87" },
    "The account Acme Inc. has reached its total cap of $100.00, with $99.87 spent. Requests are rejected.",
  ],
] as const)("%s in words", (kind, data, summary) => {
  expect(describeAlert({ kind, data }).summary).toBe(summary);
});

test("facts name each field, and leave out lists of objects", () => {
  const data = { account: ACCOUNT, model: "m\u2028x", models: ["a", "b"], below_cost: [{ upstream: "u" }], expires_at: null, count: 2 };
  expect(describeAlert({ kind: "model.sold_below_cost", data }).facts).toEqual([
    ["Account", "Acme Inc. (acme)"],
    ["Model", "m x"],
    ["Models", "a, b"],
    ["Count", "2"],
  ]);
});
