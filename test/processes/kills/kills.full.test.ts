import { expect, test } from "bun:test";
import { isLong } from "../../support/long.ts";
import { KILL_KINDS } from "./kill-points.ts";
import { killProcesses, type KillReport, type KillRun } from "./kill-run.ts";

const SEED = process.env["TOLLGATE_TEST_SEED"] ?? "tollgate";

test(
  `kill -9 of gateway processes and their owner at ${isLong ? 200 : 9} moments under load loses no charge, duplicates none, and leaves no open hold`,
  async () => {
    const { seen, kinds } = await killAndCompare({ seed: SEED, kills: isLong ? 200 : 9, processes: isLong ? 3 : 2 });
    expect(Object.keys(kinds).toSorted()).toEqual([...KILL_KINDS].toSorted());
    // Otherwise the kills have missed their targets.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  },
  isLong ? 3_600_000 : 600_000,
);

// In the usual run, test/crash/kill-nine.full.test.ts kills a process with this durability.
test.skipIf(!isLong)(
  "the same holds with durability power",
  async () => {
    const env = { TOLLGATE_DURABILITY: "power" };
    await killAndCompare({ seed: `${SEED} power`, kills: 40, processes: 2, env });
  },
  1_200_000,
);

async function killAndCompare(run: KillRun): Promise<KillReport> {
  const report = await killProcesses(run);
  const { seen, kinds, wrong } = report;
  if (isLong) process.stdout.write(`${JSON.stringify({ seed: run.seed, kinds, seen })}\n`);
  expect({ seed: run.seed, wrong: wrong.slice(0, 20), count: wrong.length }).toEqual({ seed: run.seed, wrong: [], count: 0 });
  return report;
}
