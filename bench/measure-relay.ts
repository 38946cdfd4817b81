/**
 * Compares the cost of relaying with another checkout of this project: CPU time of the gateway per request and per chunk in the `openai`
 * dialect. Both are started by their launchers, and alternate in random order: `npm run measure:relay -- ../before`.
 */
import { join, resolve } from "node:path";
import { ROOT, startGateway, type RunningGateway } from "../test/support/gateway/start-gateway.ts";
import { processCpuUs } from "./machine/cpu-clock.ts";
import { median } from "./protocol/statistics.ts";
import { mockConfig } from "./mock-config.ts";
import { run } from "./rounds.ts";

/** One round varies by ±20 % on a shared machine. The median of a hundred short ones varies by about one percent. */
const ROUNDS = 100;
/** Warms up until the JIT compiler has done its work, which takes a tenth of the CPU time of the first 60,000 requests. */
const WARM_UP_ROUNDS = 20;
const CONCURRENCY = 16;
const WORDS = 300;
const KINDS = {
  json: { requests: 2000, per: 1, unit: "request" },
  attributed: { requests: 2000, per: 1, unit: "request with an end user and two tags" },
  stream: { requests: 80, per: WORDS + 3, unit: "chunk" },
} as const;

const checkouts = { this: ROOT, other: resolve(process.argv[2] ?? ROOT) };

const upstream = await run<{ url: string }>("relay/upstream.ts", String(WORDS));
const yaml = mockConfig(upstream.said.url);

interface Side {
  readonly gateway: RunningGateway;
  readonly key: string;
}

async function start(root: string): Promise<Side> {
  const gateway = await startGateway({ yaml, launcher: join(root, "bin", "tollgate") });
  return { gateway, key: (await gateway.makeKey()).key };
}

/** CPU microseconds per unit. A measurement counts only if every response was correct. */
async function measure({ gateway, key }: Side, kind: keyof typeof KINDS): Promise<number> {
  const { requests, per } = KINDS[kind];
  const before = processCpuUs(gateway.pid)!;
  const args = [gateway.baseUrl, key, kind, String(requests), String(CONCURRENCY), String(WORDS)];
  const callers = await run<{ right: number }>("relay/callers.ts", ...args);
  await callers.stop();
  if (callers.said.right !== requests) throw new Error(`${requests - callers.said.right} answers were wrong`);
  return (processCpuUs(gateway.pid)! - before) / requests / per;
}

const sides = { this: await start(checkouts.this), other: await start(checkouts.other) };
for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
  const values = { this: [] as number[], other: [] as number[] };
  for (let round = 0; round < WARM_UP_ROUNDS; round++) for (const side of Object.values(sides)) await measure(side, kind);
  for (let round = 0; round < ROUNDS; round++) {
    const order = Math.random() < 0.5 ? (["this", "other"] as const) : (["other", "this"] as const);
    for (const name of order) values[name].push(await measure(sides[name], kind));
  }
  const ratios = values.this.map((value, at) => value / values.other[at]!).toSorted((a, b) => a - b);
  const [low, high] = [ratios[Math.floor(ROUNDS / 4)]!, ratios[Math.floor((3 * ROUNDS) / 4)]!];
  process.stdout.write(
    `CPU per ${KINDS[kind].unit}: ${median(values.this).toFixed(1)} µs here, ${median(values.other).toFixed(1)} µs there, ` +
      `ratio ${median(ratios).toFixed(3)} (middle half ${low.toFixed(3)} to ${high.toFixed(3)})\n`,
  );
}
for (const { gateway } of Object.values(sides)) await gateway.stop();
await upstream.stop();
