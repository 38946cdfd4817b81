import { describe, expect, test } from "bun:test";
import { isLong } from "../support/long.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { causeFaults, type ChaosRun } from "./chaos-run.ts";
import { FAULTS } from "./faults.ts";

const SEED = process.env["TOLLGATE_TEST_SEED"] ?? "tollgate";
/** How many times the long run causes each fault. */
const TIMES = Number(process.env["TOLLGATE_CHAOS_RUNS"] ?? 20);
const FAULTS_IN_A_CLUSTER = 4;
/** Only these faults, separated by commas. */
const ONLY = process.env["TOLLGATE_CHAOS_FAULTS"]?.split(",");
const CHOSEN = FAULTS.filter((kind) => ONLY?.includes(kind) ?? true);
const LIMIT_MS = 600_000;

/** Each fault once, or repeatedly in the long run. */
const ALL = isLong ? CHOSEN.flatMap((kind) => Array.from({ length: TIMES }, () => kind)) : CHOSEN;

describe.skipIf(!hasPostgres)("faults of a cluster lose no charge, duplicate none, and refuse no caller for lack of credit", () => {
  for (let at = 0; at < ALL.length; at += FAULTS_IN_A_CLUSTER) {
    const faults = ALL.slice(at, at + FAULTS_IN_A_CLUSTER);
    const seed = `${SEED} ${at}`;
    test(`${faults.join(", ")}, seed "${seed}"`, () => check({ seed, faults, maxMs: isLong ? 6000 : 1500 }), LIMIT_MS);
  }
});

async function check(run: ChaosRun): Promise<void> {
  const { wrong, faults, seen } = await causeFaults(run);
  process.stdout.write(`${JSON.stringify({ seed: run.seed, faults, seen })}\n`);
  expect({ wrong: wrong.slice(0, 20), count: wrong.length }).toEqual({ wrong: [], count: 0 });
}
