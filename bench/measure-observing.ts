/**
 * Measures the cost of observability: the CPU time per request of the same gateway with the log only, with metrics, with the request log, and
 * with both. They alternate in random order, and a round counts only if every response in it was correct.
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
for (const observers of VARIANTS) {
  folders.push(mkdtempSync(join(tmpdir(), "tollgate-observing-")));
  const args = ["process", folders.at(-1)!, upstream.said.url, "0", "one", "noted", observers];
  gateways.set(observers, await run("ledger/gateway-under-test.ts", ...args));
}
const results = await takeTurns(gateways, ROUNDS, REQUESTS, CONCURRENCY);
for (const process of [...gateways.values(), upstream]) await process.stop();
for (const folder of folders) rmSync(folder, { recursive: true });

const base = results.get("nothing")!;
process.stdout.write(
  `CPU per request, ${CONCURRENCY} at a time, median of ${ROUNDS} rounds of ${REQUESTS}; the increase, round by round\n`,
);
for (const [observers, rounds] of results) {
  const more = rounds.map((each, at) => each.cpuUs - base[at]!.cpuUs).toSorted((a, b) => a - b);
  const quarter = Math.floor(more.length / 4);
  const spread = `${more[quarter]!.toFixed(1)} to ${more.at(-1 - quarter)!.toFixed(1)} in the middle half`;
  const says = observers === "nothing" ? "" : `, ${median(more).toFixed(1)} µs more (${spread})`;
  process.stdout.write(`  ${observers.padEnd(9)} ${median(rounds.map((each) => each.cpuUs)).toFixed(1)} µs${says}\n`);
}
