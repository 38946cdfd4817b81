/**
 * What it costs to be seen: CPU time per request of the same gateway that tells nobody of its requests but the log, and of those that
 * count them, keep them in the request log, and do both. They take turns in random order, and each round counts only if every answer
 * in it was right.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./protocol/statistics.ts";
import { run, takeTurns, type Gateway } from "./rounds.ts";

const VARIANTS = ["nothing", "metrics", "requests", "both"] as const;
const ROUNDS = Number(process.argv[2] ?? 15);
const REQUESTS = 15_000;
const CONCURRENCY = 16;

const upstream = await run<{ url: string }>("ledger/upstream.ts");
const gateways = new Map<string, Gateway>();
const folders: string[] = [];
for (const told of VARIANTS) {
  folders.push(mkdtempSync(join(tmpdir(), "tollgate-observing-")));
  const args = ["process", folders.at(-1)!, upstream.said.url, "0", "one", "noted", told];
  gateways.set(told, await run("ledger/gateway-under-test.ts", ...args));
}
const results = await takeTurns(gateways, ROUNDS, REQUESTS, CONCURRENCY);
for (const process of [...gateways.values(), upstream]) await process.stop();
for (const folder of folders) rmSync(folder, { recursive: true });

const base = results.get("nothing")!;
process.stdout.write(
  `CPU per request, ${CONCURRENCY} at a time, median of ${ROUNDS} rounds of ${REQUESTS}; what it is more, round by round\n`,
);
for (const [told, rounds] of results) {
  const more = rounds.map((each, at) => each.cpuUs - base[at]!.cpuUs).toSorted((a, b) => a - b);
  const quarter = Math.floor(more.length / 4);
  const spread = `${more[quarter]!.toFixed(1)} to ${more.at(-1 - quarter)!.toFixed(1)} in the middle half`;
  const says = told === "nothing" ? "" : `, ${median(more).toFixed(1)} µs more (${spread})`;
  process.stdout.write(`  ${told.padEnd(9)} ${median(rounds.map((each) => each.cpuUs)).toFixed(1)} µs${says}\n`);
}
