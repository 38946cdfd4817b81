/**
 * Measures the cost of the ledger: the CPU time per request of the same gateway without a ledger, with a ledger, and with a ledger that
 * waits for the disk. The three alternate in random order, and a round counts only if every response in it was correct.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./protocol/statistics.ts";
import { run, takeTurns, type Gateway } from "./rounds.ts";

const VARIANTS = ["none", "process", "power"] as const;
const ROUNDS = 9;
const REQUESTS = 6000;
const CONCURRENCY = Number(process.argv[2] ?? 16);

const folder = mkdtempSync(join(tmpdir(), "tollgate-ledger-"));
const upstream = await run<{ url: string }>("ledger/upstream.ts");
const gateways = new Map<string, Gateway>();
for (const variant of VARIANTS) gateways.set(variant, await run("ledger/gateway-under-test.ts", variant, folder, upstream.said.url));
const results = await takeTurns(gateways, ROUNDS, REQUESTS, CONCURRENCY);
for (const process of [...gateways.values(), upstream]) await process.stop();
rmSync(folder, { recursive: true });

const without = results.get("none")!;
process.stdout.write(`CPU per request, ${CONCURRENCY} at a time, median of ${ROUNDS} rounds of ${REQUESTS} (lowest to highest)\n`);
for (const [variant, rounds] of results) {
  const values = rounds.map((each) => each.cpuUs);
  const differences = values.map((value, at) => value - without[at]!.cpuUs);
  const perSecond = median(rounds.map((each) => each.perSecond));
  const range = `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
  const more = variant === "none" ? "" : `, ${median(differences).toFixed(1)} µs more than without`;
  process.stdout.write(
    `  ${variant.padEnd(8)} ${median(values).toFixed(1)} µs (${range}), ${perSecond.toFixed(0)} requests a second${more}\n`,
  );
}
