/** Prints the time until the gateway is ready again after `kill -9` under load. Asserts nothing. */
import { killAgainAndAgain } from "../test/crash/kill-run.ts";

const KILLS = 90;
const CALLERS = 24;

const { readyMs } = await killAgainAndAgain({ seed: "measure", kills: KILLS, callers: CALLERS });
const sorted = readyMs.toSorted((a, b) => a - b);
const at = (share: number): string => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(0);
process.stdout
  .write(`from the launcher to readiness after kill -9 under load, ${KILLS} kills, ${sorted.length} of these starts were left to get ready:
median ${at(0.5)} ms, from ${at(0)} to ${at(1)} ms
`);
