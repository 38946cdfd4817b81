import { expect, test } from "bun:test";
import { isLong } from "../support/long.ts";
import { killAgainAndAgain, type KillReport } from "./kill-run.ts";

const KILLS = isLong ? 1000 : 13;
const SEED = process.env["TOLLGATE_TEST_SEED"] ?? "tollgate";

test(
  `kill -9 at ${KILLS} moments under load loses no charge, duplicates none, and leaves no open hold`,
  async () => {
    const report = await killAgainAndAgain({ seed: SEED, kills: KILLS, callers: 24 });
    expectAgreement(report);
    // Otherwise the kills have missed their targets.
    for (const count of Object.values(report.seen)) expect(count).toBeGreaterThan(0);
  },
  isLong ? 3_600_000 : 1_800_000,
);

test(
  "the same holds with durability power",
  async () => {
    const env = { TOLLGATE_DURABILITY: "power" };
    expectAgreement(await killAgainAndAgain({ seed: `${SEED} power`, kills: isLong ? 100 : 1, callers: 24, env }));
  },
  isLong ? 600_000 : 300_000,
);

function expectAgreement({ wrong }: KillReport): void {
  expect({ seed: SEED, wrong: wrong.slice(0, 20), count: wrong.length }).toEqual({ seed: SEED, wrong: [], count: 0 });
}
