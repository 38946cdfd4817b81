import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hold, NOW, settlement } from "../../../test/support/money/ledger-samples.ts";
import { isLong } from "../../../test/support/long.ts";
import type { Attribution } from "../../money/attribution.ts";
import { NO_CAPS, type Caps } from "../../money/limits.ts";
import { audit } from "../../platform/audit/auditor.ts";
import { migrate } from "../migrations/migrate.ts";
import { openSqlite, openSqliteWriter } from "../sqlite/sqlite-database.ts";
import { EmbeddedLedgerStore } from "./embedded-ledger-store.ts";
import { Journal } from "./journal/journal.ts";

const DAY_MS = 86_400_000;
const CAPPED: Caps = { ...NO_CAPS, dayNanos: 1000n };

let folder: string;
let store: EmbeddedLedgerStore;
let nowMs: number;
let caps: Caps;
let requests: number;

const open = (): EmbeddedLedgerStore =>
  new EmbeddedLedgerStore(openSqliteWriter(join(folder, "tollgate.db"), "process"), {
    journal: new Journal(join(folder, "ledger-journal"), "process"),
    nowMs: () => nowMs,
    capsOf: () => caps,
    report: () => undefined,
  });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-breakdowns-"));
  const database = openSqlite(join(folder, "tollgate.db"));
  await migrate(database);
  await database.destroy();
  [nowMs, caps, requests] = [NOW, CAPPED, 0];
  store = open();
});

afterEach(async () => {
  await store.close().catch(() => undefined);
  rmSync(folder, { recursive: true });
});

const counted = (user?: string): Attribution => ({ ...(user !== undefined && { user }), counts: ["user@account"] });
const spentBy = async (user: string): Promise<[dayNanos: bigint, monthNanos: bigint, heldNanos: bigint]> => {
  await store.ensureCounted([{ scope: "user", id: `account:acme:${user}` }]);
  const { dayNanos, monthNanos, heldNanos } = store.spendingOf("user", `account:acme:${user}`, nowMs);
  return [dayNanos, monthNanos, heldNanos];
};

async function charge(nanos: bigint, attribution: Attribution | undefined): Promise<void> {
  const requestId = `r${++requests}`;
  await store.hold(hold(requestId, nanos, { attribution, atMs: nowMs }));
  await store.settle(requestId, settlement(nanos, { atMs: nowMs }));
}

async function reopen(): Promise<void> {
  await store.close();
  store = open();
}

function rows(): readonly unknown[] {
  return store.database.file.query("select scope, id from tallies where scope in ('user', 'tag', 'counted') order by scope, id").values();
}

test("what was spent in the day and month before the first look counts, with what is not in the database yet", async () => {
  nowMs = NOW - DAY_MS;
  await charge(5n, { user: "ada" });
  nowMs = NOW;
  await charge(7n, { user: "ada", tags: { team: "search" } });
  await charge(11n, { user: "bob" });
  await charge(13n, undefined);
  expect(await Promise.all(["ada", "bob", "none", "carol"].map(spentBy))).toEqual([
    [7n, 12n, 0n],
    [11n, 11n, 0n],
    [13n, 13n, 0n],
    [0n, 0n, 0n],
  ]);
  await store.ensureCounted([{ scope: "tag", id: "key:key-1:team=search" }]);
  expect(store.spendingOf("tag", "key:key-1:team=search", nowMs)).toMatchObject({ dayNanos: 7n, monthNanos: 7n });
  expect(store.spendingOf("tag", "key:key-1:team=none", nowMs)).toMatchObject({ monthNanos: 29n });
});

test("a request that was admitted before the first look counts when it ends; one after it counts from its hold on", async () => {
  await store.hold(hold("before", 10n, { attribution: { user: "ada" } }));
  expect(await spentBy("ada")).toEqual([0n, 0n, 0n]);
  await store.hold(hold("after", 20n, { attribution: counted("ada") }));
  expect(await spentBy("ada")).toEqual([0n, 0n, 20n]);
  await store.settle("before", settlement(9n));
  await store.settle("after", settlement(15n));
  expect(await spentBy("ada")).toEqual([24n, 24n, 0n]);
});

test("a new day begins with nothing spent, a new month too, and rows of earlier months are deleted", async () => {
  expect(await spentBy("ada")).toEqual([0n, 0n, 0n]);
  await charge(10n, counted("ada"));
  await store.hold(hold("over midnight", 30n, { attribution: counted("ada") }));
  nowMs += DAY_MS;
  expect(await spentBy("ada")).toEqual([0n, 10n, 30n]);
  await store.settle("over midnight", settlement(25n, { atMs: nowMs }));
  expect(await spentBy("ada")).toEqual([25n, 35n, 0n]);
  await reopen();
  expect(rows()).toEqual([
    ["counted", "user:account:acme:"],
    ["user", "account:acme:ada"],
  ]);
  nowMs += 40 * DAY_MS;
  expect(await spentBy("ada")).toEqual([0n, 0n, 0n]);
  await charge(1n, counted("bob"));
  await reopen();
  expect(rows()).toEqual([
    ["counted", "user:account:acme:"],
    ["user", "account:acme:bob"],
  ]);
});

test("what is charged while there is no spend cap counts when there is one again", async () => {
  await spentBy("ada");
  await charge(10n, counted("ada"));
  caps = NO_CAPS;
  await reopen();
  expect(rows()).toEqual([["user", "account:acme:ada"]]);
  await charge(20n, { user: "ada" });
  caps = CAPPED;
  expect(await spentBy("ada")).toEqual([30n, 30n, 0n]);
  await reopen();
  expect(await spentBy("ada")).toEqual([30n, 30n, 0n]);
});

test("idle end users cost no memory, and their spending is not forgotten", async () => {
  const users = isLong ? 200_000 : 20_000;
  await spentBy("u0");
  let most = 0;
  for (let first = 0; first < users; first += 1000) {
    await Promise.all(Array.from({ length: 1000 }, (_, index) => charge(BigInt(first + index + 1), counted(`u${first + index}`))));
    most = Math.max(most, store.database.books.breakdowns.size);
  }
  expect(most).toBeLessThan(6000);
  await reopen();
  expect(store.database.books.breakdowns.size).toBe(0);
  for (const user of [0, 17, users - 1]) expect(await spentBy(`u${user}`)).toEqual([BigInt(user + 1), BigInt(user + 1), 0n]);
  expect(store.database.books.breakdowns.size).toBe(0);
});

test("the auditor adds the spending of end users and tags up itself", async () => {
  await store.ensureCounted([{ scope: "tag", id: "key:key-1:team=none" }]);
  await spentBy("ada");
  await charge(10n, { user: "ada", tags: { team: "search" } });
  await charge(20n, undefined);
  nowMs += DAY_MS;
  await charge(5n, { user: "ada" });
  const found = async (): Promise<readonly string[]> => {
    const { discrepancies } = await audit({ ledger: store, keyIds: [], nowMs });
    return discrepancies.filter(({ what }) => what.startsWith("spent by")).map(({ what, expected }) => `${what}: ${expected}`);
  };
  expect((await store.balances()).breakdowns).toHaveLength(4);
  expect(await found()).toEqual([]);
  await reopen();
  expect(await found()).toEqual([]);
  const erased = JSON.stringify({ user: "erased" });
  store.database.file.run("update entries set attribution = ? where amount_nanos = 5", [erased]);
  expect(await found()).toEqual([]);
  store.database.file.run("update entries set attribution = ? where amount_nanos = 5", [JSON.stringify({ user: "ada" })]);
  store.database.file.run("update tallies set month_nanos = 16 where id = 'account:acme:ada'");
  expect(await found()).toEqual(["spent by user:account:acme:ada in its last month equals the sum of the entries: $0.000000015"]);
});
