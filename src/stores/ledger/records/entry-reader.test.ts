import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { EntryReader } from "./entry-reader.ts";
import { SqliteRows } from "./sqlite-rows.ts";

test("numbers entries over several slices, and later ones", async () => {
  const file = new Database(":memory:");
  file.run("create table entries (id integer primary key, account_id text, kind text)");
  const add = (from: number, to: number): void => {
    const row = file.query("insert into entries values (?, ?, ?)");
    file.transaction(() => {
      for (let id = from; id <= to; id++) row.run(id, id % 5 === 0 ? "other" : "acme", id % 5 === 1 ? "hold" : "settle");
    })();
  };
  add(1, 50_000);
  const numbers = new EntryReader(new SqliteRows(file));
  // Three of five are listed entries of the account: 2, 3 and 4, 7, 8 and 9.
  const concurrent = [numbers.numberOf("acme", 49_999), numbers.numberOf("acme", 9)];
  expect(await Promise.all(concurrent)).toEqual([30_000, 6]);
  add(50_001, 100_000);
  expect(await numbers.numberOf("acme", 99_999)).toBe(60_000);
  expect(await numbers.numberOf("acme", 49_998)).toBe(29_999);
  expect(await numbers.numberOf("other", 100_000)).toBe(20_000);
});
