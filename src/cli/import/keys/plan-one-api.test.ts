import { expect, test } from "bun:test";
import { planOneApi } from "./plan-one-api.ts";
import type { Row } from "./row-values.ts";

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  users: [{ id: 1, username: "ada", quota: 3_000_000, status: 1 }],
  options: [
    { key: "QuotaPerUnit", value: "1000000" },
    { key: "ModelRatio", value: '{"gpt-4o": 2.5}' },
    { key: "CompletionRatio", value: '{"gpt-4o": 4}' },
  ],
  channels: [{ id: 1, type: 1, key: "sk-upstream", status: 1, models: "gpt-4o" }],
};

test("a dollar has the units that the options say, and a time after the year 9999 is its end", async () => {
  const tokens = [{ id: 1, user_id: 1, key: "abc", status: 1, name: "app", expired_time: 99_999_999_999_999, remain_quota: 500_000 }];
  const source = { read: async (table: string) => TABLES[table] ?? [], close: async () => undefined };
  const { accounts, keys, config } = await planOneApi(source, tokens, 0);
  expect(accounts.map(({ creditNanos }) => creditNanos)).toEqual([3_000_000_000n]);
  expect(keys).toMatchObject([{ caps: { total: "0.50" }, expires_at: "9999-12-31T23:59:59.000Z" }]);
  expect(config!.yaml).toContain("input_per_million: 2.5\n      output_per_million: 10");
});
