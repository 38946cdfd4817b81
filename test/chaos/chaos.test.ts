import { describe, expect, test } from "bun:test";
import { isLong } from "../support/long.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { causeFaults, type ChaosRun } from "./chaos-run.ts";
import { FAULTS, type FaultKind } from "./faults.ts";

const SEED = process.env["TOLLGATE_TEST_SEED"] ?? "tollgate";
/** Of each fault, in the long form. */
const RUNS = Number(process.env["TOLLGATE_CHAOS_RUNS"] ?? 20);
/** Of the short form: all others take longer. */
const SHORT: readonly FaultKind[] = ["database_killed", "gateway_killed", "cut_off", "written_off"];
const LIMIT_MS = 600_000;

describe.skipIf(!hasPostgres)("faults of a cluster lose no charge, duplicate none, and refuse no caller for lack of credit", () => {
  if (!isLong) test("some of them, one after another", () => check({ seed: SEED, faults: SHORT, maxMs: 1500 }), LIMIT_MS);
  for (const kind of isLong ? FAULTS : []) {
    for (let run = 1; run <= RUNS; run++) {
      const seed = `${SEED} ${run}`;
      test(`${kind}, seed "${seed}"`, () => check({ seed, faults: [kind], maxMs: 6000 }), LIMIT_MS);
    }
  }
});

async function check(run: ChaosRun): Promise<void> {
  const { wrong, faults, seen } = await causeFaults(run);
  process.stdout.write(`${JSON.stringify({ seed: run.seed, faults, seen })}\n`);
  expect({ wrong: wrong.slice(0, 20), count: wrong.length }).toEqual({ wrong: [], count: 0 });
}
