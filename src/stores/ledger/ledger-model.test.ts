import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { histories } from "../../../test/ledger-model/commands.ts";
import { FaultyFile, openMemory } from "../../../test/ledger-model/faulty-file.ts";
import { ManualTimers } from "../../../test/ledger-model/manual-timers.ts";
import { Play } from "../../../test/ledger-model/play-history.ts";
import { runs } from "../../../test/support/long.ts";
import { openSqlite, openSqliteWriter } from "../sqlite/sqlite-database.ts";
import { migrate } from "../migrations/migrate.ts";

/** How often the histories must reach each situation, per thousand: a generator that never reaches a situation proves nothing about it. */
const REACHED_OF_A_THOUSAND: Readonly<Record<string, number>> = {
  "a hold refused by the balance": 100,
  "a hold refused by a spend cap": 10,
  "a hold refused while nothing can be written": 50,
  "a request id that had its hold": 30,
  "a request id whose hold was lost in a crash": 20,
  "a second end": 30,
  "an excess that was charged": 100,
  "an excess above the caller's own limit": 5,
  "an excess that an account in debt was spared": 2,
  "an account in debt": 50,
  "an account on its credit line": 100,
  "an account beyond its credit line": 5,
  "spending of end users": 50,
  "a settlement while nothing can be written": 5,
  "credit that could not be recorded": 30,
  "a reference repeated": 10,
  "a reference repeated after a failure": 0.3,
  "a retry that worked": 5,
  "a retry of what was written already": 10,
  "a crash with open holds": 100,
  "a crash that lost what was not written": 100,
  "a crash after a commit that failed and was durable": 30,
  "a recovery from progress": 30,
  "a start that failed": 10,
  "a clean shutdown": 50,
  "a clean shutdown that failed": 1,
  "spending of this month before today": 10,
  "spending before this month": 10,
  "a clock set back to a day with charges": 5,
  "a clock set back to before charges": 10,
};

const timers = new ManualTimers();

/** Plays random histories on the file. Returns how many of them reached each situation. */
function play(file: FaultyFile, parameters: fc.Parameters<unknown>): Map<string, number> {
  const reached = new Map<string, number>();
  const once = fc.property(histories, (history) => {
    for (const what of Play.run(file, timers, history)) reached.set(what, (reached.get(what) ?? 0) + 1);
  });
  timers.install();
  try {
    fc.assert(once, parameters);
  } finally {
    timers.uninstall();
  }
  return reached;
}

describe("in every history of holds, charges, crashes and disk failures, the ledger equals the sum of its entries", () => {
  let memory: FaultyFile;
  let file: FaultyFile;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-model-"));

  beforeAll(async () => {
    memory = new FaultyFile(await openMemory());
    const database = openSqlite(join(folder, "tollgate.db"));
    await migrate(database);
    await database.destroy();
    file = new FaultyFile(openSqliteWriter(join(folder, "tollgate.db"), "process"));
  });
  afterAll(() => {
    memory.inner.close();
    file.inner.close();
    rmSync(folder, { recursive: true });
  });

  test("in a database in memory", () => {
    const parameters = runs(700, 2_000_000);
    const reached = play(memory, parameters);
    if (parameters.path !== undefined) return;
    const thousands = parameters.numRuns! / 1000;
    const missed = Object.entries(REACHED_OF_A_THOUSAND).filter(([what, least]) => (reached.get(what) ?? 0) < least * thousands);
    expect(missed.map(([what]) => [what, reached.get(what)])).toEqual([]);
    expect([...reached.keys()].filter((what) => !(what in REACHED_OF_A_THOUSAND))).toEqual([]);
  }, 7_200_000);

  test("in a file, as in the gateway", () => {
    play(file, runs(50, 10_000));
  }, 7_200_000);
});
