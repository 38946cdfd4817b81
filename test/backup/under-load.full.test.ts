import { describe, expect, test } from "bun:test";
import { isLong } from "../support/long.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { backUpAgainAndAgain, type BackupRun } from "./backup-run.ts";
import { createDatabaseInstallation, createFolderInstallation } from "./installation.ts";

const SEED = process.env["TOLLGATE_TEST_SEED"] ?? "tollgate";
const TIMES = isLong ? 20 : 1;
const LIMIT_MS = 3_600_000;

describe("a backup under load, destroyed data and a restore lose no response that was complete before, and charge none twice", () => {
  test(`of a data folder, ${TIMES} times`, () => check(1, (yaml) => createFolderInstallation(yaml, 1)), LIMIT_MS);
  test(
    `of a data folder with two gateway processes, ${TIMES} times`,
    () => check(2, (yaml) => createFolderInstallation(yaml, 2)),
    LIMIT_MS,
  );
  test.skipIf(!hasPostgres)(`of a database with two gateways, ${TIMES} times`, () => check(3, createDatabaseInstallation), LIMIT_MS);
});

async function check(which: number, create: BackupRun["create"]): Promise<void> {
  const seed = `${SEED} ${which}`;
  const { wrong, seen } = await backUpAgainAndAgain({ seed, rounds: TIMES, callers: 16, create });
  process.stdout.write(`${JSON.stringify({ seed, rounds: TIMES, seen })}\n`);
  expect({ seed, wrong: wrong.slice(0, 20), count: wrong.length }).toEqual({ seed, wrong: [], count: 0 });
  // Otherwise there was nothing to lose, and the test shows nothing.
  for (const count of [seen.saved, seen.lost, seen.ended]) expect(count).toBeGreaterThan(0);
}
