import * as fc from "fast-check";
import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DAY_MS, hold, NOW, settlement } from "../../../test/support/money/ledger-samples.ts";
import { runs } from "../../../test/support/long.ts";
import { NO_CAPS } from "../../money/limits.ts";
import { dayAt, monthAt } from "../../money/period-sums.ts";
import type { Purse } from "../../money/purse.ts";
import { audit } from "../../platform/audit/auditor.ts";
import { migrate } from "../migrations/migrate.ts";
import { openSqlite, openSqliteWriter } from "../sqlite/sqlite-database.ts";
import { EmbeddedLedgerStore } from "./embedded-ledger-store.ts";
import { Journal } from "./journal/journal.ts";
import type { CountingPace } from "./tables/breakdown-sums.ts";

const FILES = ["tollgate.db", "tollgate.db-wal", "ledger-journal"];
const ONE_BY_ONE: CountingPace = { entriesRead: 1, readMs: 0, talliesWritten: 1 };

const root = mkdtempSync(join(tmpdir(), "tollgate-counting-"));
const migrated = mkdtempSync(join(root, "migrated-"));
const database = openSqlite(join(migrated, "tollgate.db"));
await migrate(database);
await database.destroy();
afterAll(() => rmSync(root, { recursive: true }));

interface Charge {
  readonly user: string;
  readonly nanos: bigint;
  readonly atMs: number;
}

/** A ledger in a process that can be killed, and the charges in it. */
class Life {
  store: EmbeddedLedgerStore;
  nowMs = NOW;
  readonly #pace: CountingPace;
  readonly #charges: Charge[] = [];
  #folder = migrated;
  #requests = 0;

  constructor(pace: CountingPace) {
    this.#pace = pace;
    this.store = this.#open();
  }

  async charge(user: string, nanos: bigint, accountId = "acme"): Promise<void> {
    const requestId = `r${++this.#requests}`;
    await this.store.hold(hold(requestId, nanos, { accountId, attribution: { user }, atMs: this.nowMs }));
    if (accountId === "acme") this.#charges.push({ user, nanos, atMs: this.nowMs });
    await this.store.settle(requestId, settlement(nanos, { atMs: this.nowMs }));
  }

  /** Kills the process: the files keep their state of this moment, and no later work of the process takes effect. */
  async kill(): Promise<void> {
    const killed = this.store;
    this.store = this.#open();
    await killed.close().catch(() => undefined);
  }

  spent(user: string): [dayNanos: bigint, monthNanos: bigint] {
    const { dayNanos, monthNanos } = this.store.spendingOf("user", `account:acme:${user}`, this.nowMs);
    return [dayNanos, monthNanos];
  }

  expected(user: string): [dayNanos: bigint, monthNanos: bigint] {
    const own = this.#charges.filter((charge) => charge.user === user);
    const ofMonth = own.filter(({ atMs }) => monthAt(atMs) === monthAt(this.nowMs));
    return [sum(own.filter(({ atMs }) => dayAt(atMs) === dayAt(this.nowMs))), sum(ofMonth)];
  }

  #open(): EmbeddedLedgerStore {
    const folder = mkdtempSync(join(root, "life-"));
    for (const name of FILES) if (existsSync(join(this.#folder, name))) cpSync(join(this.#folder, name), join(folder, name));
    this.#folder = folder;
    return new EmbeddedLedgerStore(openSqliteWriter(join(folder, "tollgate.db"), "process"), {
      journal: new Journal(join(folder, "ledger-journal"), "process"),
      nowMs: () => this.nowMs,
      capsOf: () => ({ ...NO_CAPS, dayNanos: 1n }),
      countingPace: this.#pace,
      report: () => undefined,
    });
  }
}

const sum = (charges: readonly Charge[]): bigint => charges.reduce((total, { nanos }) => total + nanos, 0n);
const purseOf = (user: string): Purse => ({ scope: "user", id: `account:acme:${user}` });

test("requests of other accounts are served while the spending of end users is added up", async () => {
  const life = new Life({ ...ONE_BY_ONE, talliesWritten: 1000 });
  for (let at = 0; at < 100; at++) await life.charge(`u${at % 10}`, 1n);
  life.store.catchUp();
  const state = { isCounted: false };
  const counting = life.store.ensureCounted([purseOf("u1")])!.then(() => (state.isCounted = true));
  let served = 0;
  for (; !state.isCounted; served++) await life.charge("other", 1n, "beta");
  await counting;
  // A request takes a few turns of the event loop, and there are 200 entries.
  expect(served).toBeGreaterThan(20);
  expect(life.spent("u1")).toEqual([10n, 10n]);
  expect(life.store.ensureCounted([purseOf("u2")])).toBeUndefined();
  await life.store.close();
});

test("the sums of many end users are written in slices too", async () => {
  const life = new Life({ entriesRead: 1_000_000, readMs: 1_000_000, talliesWritten: 1 });
  for (let at = 0; at < 100; at++) await life.charge(`u${at}`, 1n);
  const state = { isCounted: false };
  const counting = life.store.ensureCounted([purseOf("u1")])!.then(() => (state.isCounted = true));
  let turns = 0;
  for (; !state.isCounted; turns++) await nextTurn();
  await counting;
  expect(turns).toBeGreaterThan(50);
  await life.store.close();
});

type Step =
  | { readonly do: "charge"; readonly user: string; readonly nanos: bigint }
  | { readonly do: "count" | "turn" | "write" | "midnight" | "kill" };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant("charge" as const), user: fc.constantFrom("a", "b", "c"), nanos: fc.bigInt(1n, 9n) }),
    },
    { weight: 8, arbitrary: fc.record({ do: fc.constantFrom("turn" as const, "turn" as const, "write" as const, "count" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("kill" as const, "midnight" as const) }) },
  ),
  { maxLength: 60 },
);

async function take(step: Step, life: Life): Promise<void> {
  if (step.do === "charge") await life.charge(step.user, step.nanos);
  else if (step.do === "count") void life.store.ensureCounted([purseOf("a")])?.catch(() => undefined);
  else if (step.do === "turn") await nextTurn();
  else if (step.do === "write") life.store.catchUp();
  else if (step.do === "midnight") life.nowMs += DAY_MS;
  else await life.kill();
}

test("every charge counts once, whatever is charged while spending is added up, and when the process is killed meanwhile", async () => {
  const pace = fc.record({ entriesRead: fc.integer({ min: 1, max: 3 }), readMs: fc.constant(0), talliesWritten: fc.constantFrom(1, 2) });
  await fc.assert(
    fc.asyncProperty(pace, steps, async (its, history) => {
      const life = new Life(its);
      for (const step of history) await take(step, life);
      for (const isKilled of [false, true]) {
        if (isKilled) await life.kill();
        await life.store.ensureCounted([purseOf("a")]);
        for (const user of ["a", "b", "c"]) expect(life.spent(user)).toEqual(life.expected(user));
      }
      const { discrepancies } = await audit({ ledger: life.store, keyIds: [], nowMs: life.nowMs });
      expect(discrepancies.filter(({ what }) => what.startsWith("spent by"))).toEqual([]);
      await life.store.close();
    }),
    runs(60),
  );
});
