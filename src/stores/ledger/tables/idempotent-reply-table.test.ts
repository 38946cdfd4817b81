import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Database as SqliteFile } from "bun:sqlite";
import { openMemory } from "../../../../test/ledger-model/faulty-file.ts";
import { IdempotentReplyTable } from "./idempotent-reply-table.ts";

const DAY_MS = 86_400_000;

let file: SqliteFile;
beforeEach(async () => {
  file = await openMemory();
});
afterEach(() => file.close());

const write = (table: IdempotentReplyTable, scope: string, atMs: number, body: string | undefined = "x".repeat(10)): void =>
  table.write({ scope, digest: "d", requestId: `r-${scope}`, atMs, headers: {}, body });

const storedScopes = (): string[] =>
  file
    .query<{ scope: string }, []>("select scope from answers order by at_ms")
    .all()
    .map(({ scope }) => scope);

test("deletes replies after 24 hours", () => {
  const table = new IdempotentReplyTable(file);
  write(table, "old", 1000);
  write(table, "young", 100_000);
  expect(storedScopes()).toEqual(["old", "young"]);
  write(table, "new", 1000 + DAY_MS);
  expect(storedScopes()).toEqual(["young", "new"]);
});

test("deletes replies after 24 hours, also after the wall clock was ahead", () => {
  const table = new IdempotentReplyTable(file);
  const aheadMs = 400 * DAY_MS;
  write(table, "ahead", aheadMs);
  write(table, "old", 1000);
  write(table, "new", 1001 + DAY_MS);
  expect(storedScopes()).toEqual(["new", "ahead"]);
});

test("stays within its size limit, and keeps the newest replies", () => {
  const table = new IdempotentReplyTable(file, 1000 * 10);
  for (let at = 1; at <= 3000; at++) {
    write(table, `s${at}`, at, at % 7 === 0 ? undefined : "é".repeat(5));
    const { bytes } = file.query<{ bytes: number }, []>("select coalesce(sum(octet_length(body)), 0) as bytes from answers").get()!;
    if (bytes > 1000 * 10) throw new Error(`${bytes} bytes are stored after ${at} replies`);
  }
  expect(table.find("s3000", 3000)?.body).toBe("é".repeat(5));
  expect(table.find("s1", 3000)).toBeUndefined();
  expect(storedScopes().length).toBeGreaterThan(800);
});

test("the size limit includes replies of earlier processes", () => {
  write(new IdempotentReplyTable(file), "s1", 1, "x".repeat(90));
  const table = new IdempotentReplyTable(file, 100);
  write(table, "s2", 2, "x".repeat(20));
  expect(table.find("s1", 2)).toBeUndefined();
});

test("a reply replaces an expired one under its scope", () => {
  const table = new IdempotentReplyTable(file);
  write(table, "s", 1, "old");
  write(table, "s", 1 + DAY_MS, "new");
  expect([table.find("s", 1 + DAY_MS)?.body, storedScopes().length]).toEqual(["new", 1]);
});

test("deletes no more replies than needed, and never the newest", () => {
  const table = new IdempotentReplyTable(file, 100);
  for (let at = 1; at <= 5; at++) write(table, `s${at}`, at, "x".repeat(30));
  expect(storedScopes()).toEqual(["s3", "s4", "s5"]);
});

const addKey = (id: string, account: string): void =>
  void file
    .query("insert into keys (id, name, hash, settings, created_at_ms, account_id) values (?, ?, ?, '{}', 0, ?)")
    .run(id, id, id, account);
const storedOf = (key: string): number => storedScopes().filter((scope) => scope.startsWith(`${key}:`)).length;

describe("beyond the size limit", () => {
  test("an account loses its own replies, with all of its keys together, and no other account does", () => {
    for (const [key, account] of [
      ["k1", "victim"],
      ["k2", "attacker"],
      ["k3", "attacker"],
    ] as const)
      addKey(key, account);
    const table = new IdempotentReplyTable(file, 100);
    for (let at = 1; at <= 3; at++) write(table, `k1:${at}`, at);
    for (let at = 10; at <= 60; at++) write(table, `k${2 + (at % 2)}:${at}`, at);
    expect([storedOf("k1"), storedOf("k2") + storedOf("k3")]).toEqual([3, 7]);
    expect(storedScopes().slice(-7)).toEqual(["k2:54", "k3:55", "k2:56", "k3:57", "k2:58", "k3:59", "k2:60"]);
  });

  test("accounts share the space equally where each has more", () => {
    const table = new IdempotentReplyTable(file, 100);
    for (let at = 1; at <= 30; at++) write(table, `${at % 3 === 0 ? "one" : "other"}:${at}`, at);
    expect([storedOf("one"), storedOf("other")]).toEqual([5, 5]);
  });
});
