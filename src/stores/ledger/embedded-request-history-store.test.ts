import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, grant, hold, LARGE, NOW, settlement, USAGE } from "../../../test/support/money/ledger-samples.ts";
import { openSqlite, openSqliteReader, openSqliteWriter } from "../database.ts";
import { migrate } from "../migrations/migrate.ts";
import { EmbeddedLedgerStore } from "./embedded-ledger-store.ts";
import { Journal } from "./journal/journal.ts";
import { EmbeddedRequestHistoryStore } from "./embedded-request-history-store.ts";
import type { RequestHistoryFilter, HistoricalRequest } from "./request-history-store.ts";

let folder: string;
let ledger: EmbeddedLedgerStore;
let past: EmbeddedRequestHistoryStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-past-"));
  const path = join(folder, "tollgate.db");
  const database = openSqlite(path);
  await migrate(database);
  await database.destroy();
  const journal = new Journal(join(folder, "ledger-journal"), "process");
  ledger = new EmbeddedLedgerStore(openSqliteWriter(path, "process"), { journal, nowMs: () => NOW, report: () => undefined });
  past = new EmbeddedRequestHistoryStore(openSqliteReader(path), () => ledger.catchUp());
});

afterEach(async () => {
  await past.close();
  await ledger.close();
  rmSync(folder, { recursive: true });
});

async function read(filter: RequestHistoryFilter): Promise<HistoricalRequest[]> {
  const all: HistoricalRequest[] = [];
  await past.each(filter, (requests) => all.push(...requests));
  return all;
}

test("returns a request with its closing entry and usage, if any", async () => {
  expect(await read({ sinceMs: 0 })).toEqual([]);
  await ledger.addCredit(grant(LARGE));
  for (const id of ["settled", "released", "open"]) await ledger.hold(hold(id, LARGE));
  ledger.release("released", "upstream_error", NOW + 1);
  await ledger.settle("settled", settlement(7n, { atMs: NOW + 2 }));
  const same = { accountId: "acme", keyId: "key-1", model: "m", atMs: NOW, heldNanos: LARGE };
  const answer = { usage: USAGE, upstream: "u" };
  expect(await read({ sinceMs: 0 })).toEqual([
    { ...same, id: 2, end: { id: 6, atMs: NOW + 2, priceVersion: "v1", chargedNanos: 7n, answer } },
    { ...same, id: 3, end: { id: 5, atMs: NOW + 1, priceVersion: "v1", chargedNanos: 0n, answer: undefined } },
    { ...same, id: 4, end: undefined },
  ]);
});

/** Every seven minutes; now and then the clock is put right. */
const DRAWN = Array.from({ length: 2500 }, (_, at) => ({
  accountId: `account-${at % 3}`,
  keyId: at === 1299 || at === 1512 ? "seldom" : `key-${at % 3}-${at % 2}`,
  model: `model-${at % 5}`,
  atMs: NOW + at * 7 * 60_000 - (at % 500 < 5 ? 45 * 60_000 : 0),
}));
const SINCE = { sinceMs: DRAWN[1003]!.atMs };
const FILTERS: readonly RequestHistoryFilter[] = [
  { sinceMs: 0 },
  SINCE,
  { sinceMs: 0, accountId: "account-1" },
  { ...SINCE, accountId: "account-1" },
  { ...SINCE, accountId: "account-1", keyId: "key-1-0" },
  { ...SINCE, accountId: "account-2", model: "model-4" },
  { sinceMs: 0, accountId: "account-0", keyId: "seldom" },
  { sinceMs: NOW + 3 * DAY_MS, model: "model-3" },
  { sinceMs: 0, accountId: "nobody" },
];

/** The place of each is what was held for it. */
async function expectEachInOrder(): Promise<void> {
  for (const filter of FILTERS) {
    const { sinceMs, ...named } = filter;
    const wanted = DRAWN.filter(
      (each) => each.atMs >= sinceMs && Object.entries(named).every(([name, id]) => each[name as "model"] === id),
    );
    expect((await read(filter)).map(({ heldNanos }) => heldNanos)).toEqual(wanted.map((each) => BigInt(DRAWN.indexOf(each))));
  }
}

test("filters by time, account, key and model, in order, also where the wall clock was adjusted", async () => {
  await Promise.all(
    DRAWN.flatMap((each, at) => {
      const held = ledger.hold(hold(`r${at}`, BigInt(at), each));
      return at % 7 === 0 ? [held] : [held, ledger.settle(`r${at}`, settlement(0n, { atMs: each.atMs }))];
    }),
  );
  await expectEachInOrder();
});

/** One way or the other. */
function end(at: number): Promise<unknown>[] {
  const { atMs } = DRAWN[at]!;
  if (at % 11 > 0) return [ledger.settle(`r${at}`, settlement(0n, { atMs }))];
  ledger.release(`r${at}`, "upstream_error", atMs);
  return [];
}

test("finds the requests of an account by their closing entries in any order, and open ones by their holds", async () => {
  for (let from = 0; from < DRAWN.length; from += 50) {
    const places = Array.from({ length: 50 }, (_, at) => from + at);
    await ledger.addCredit(grant(1n, { accountId: "account-1", reference: `grant-${from}` }));
    await Promise.all(places.map((at) => ledger.hold(hold(`r${at}`, BigInt(at), DRAWN[at]))));
    // One of them takes longer than hundreds of others, and the last of those are open.
    const ended = places.map((at) => (at % 50 === 49 ? at - 300 : at)).filter((at) => at >= 0);
    await Promise.all(ended.toReversed().flatMap(end));
  }
  const file = openSqliteReader(join(folder, "tollgate.db"));
  const tallied = file.query<{ oldest_open_id: number }, []>("select oldest_open_id from tallied").get()!;
  file.close();
  expect(tallied.oldest_open_id).toBeGreaterThan(3000);
  await expectEachInOrder();
});

test("serves other work between batches, and ends when the signal is aborted", async () => {
  await Promise.all(Array.from({ length: 3000 }, (_, at) => ledger.hold(hold(`r${at}`, 1n))));
  let turns = 0;
  const look = (): void => {
    turns++;
    turn = setImmediate(look);
  };
  let turn = setImmediate(look);
  const slices: number[] = [];
  await past.each({ sinceMs: 0 }, ({ length }) => slices.push(length));
  clearImmediate(turn);
  expect(slices).toEqual([1000, 1000, 1000]);
  expect(turns).toBeGreaterThanOrEqual(2);
  const leaving = new AbortController();
  const received: number[] = [];
  const stop = ({ length }: readonly HistoricalRequest[]): void => {
    received.push(length);
    leaving.abort();
  };
  await past.each({ sinceMs: 0 }, stop, leaving.signal);
  expect(received).toEqual([1000]);
});
