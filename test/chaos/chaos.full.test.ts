import { describe, expect, test } from "bun:test";
import { isLong } from "../support/long.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { causeFaults, type ChaosRun } from "./chaos-run.ts";
import { FAULTS, type FaultKind } from "./faults.ts";

const SEED = process.env["TOLLGATE_TEST_SEED"] ?? "tollgate";
/** How often the long form causes each fault, and how often in one cluster. */
const TIMES = Number(process.env["TOLLGATE_CHAOS_RUNS"] ?? 20);
const TIMES_IN_A_CLUSTER = 4;
/** Only some, separated by commas. */
const ONLY = process.env["TOLLGATE_CHAOS_FAULTS"]?.split(",");
const CHOSEN = FAULTS.filter((kind) => ONLY?.includes(kind) ?? true);
/** Of the short form: all others take longer. */
const SHORT: readonly FaultKind[] = ["database_killed", "cut_off", "written_off"];
const LIMIT_MS = 600_000;

describe.skipIf(!hasPostgres)("faults of a cluster lose no charge, duplicate none, and refuse no caller for lack of credit", () => {
  if (!isLong) test("some of them, one after another", () => check({ seed: SEED, faults: SHORT, maxMs: 1500 }), LIMIT_MS);
  for (const kind of isLong ? CHOSEN : []) {
    for (let done = 0; done < TIMES; done += TIMES_IN_A_CLUSTER) {
      const faults = Array.from({ length: Math.min(TIMES_IN_A_CLUSTER, TIMES - done) }, () => kind);
      const seed = `${SEED} ${done}`;
      test(`${kind}, ${faults.length} times, seed "${seed}"`, () => check({ seed, faults, maxMs: 6000 }), LIMIT_MS);
    }
  }
});

async function check(run: ChaosRun): Promise<void> {
  const { wrong, faults, seen } = await causeFaults(run);
  process.stdout.write(`${JSON.stringify({ seed: run.seed, faults, seen })}\n`);
  expect({ wrong: wrong.slice(0, 20), count: wrong.length }).toEqual({ wrong: [], count: 0 });
}
