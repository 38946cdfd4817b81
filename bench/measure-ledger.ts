/**
 * What the ledger costs: CPU time per request of the same gateway without a ledger, with one, and with one that waits for the
 * disk. The three take turns in random order, and each round counts only if every answer in it was right.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const VARIANTS = ["none", "process", "power"] as const;
const ROUNDS = 9;
const REQUESTS = 6000;
const CONCURRENCY = Number(process.argv[2] ?? 16);
const TICK_US = 10_000;

interface Running<T> {
  readonly pid: number;
  readonly said: T;
  stop(): Promise<void>;
}

async function run<T>(script: string, ...args: string[]): Promise<Running<T>> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "ledger", script), ...args], {
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" },
    stdout: "pipe",
  });
  const reader = child.stdout.getReader();
  let line = "";
  while (!line.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`${script} ended: ${line}`);
    line += new TextDecoder().decode(value);
  }
  return {
    pid: child.pid,
    said: JSON.parse(line) as T,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

function cpuUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

type Gateway = Running<{ url: string; key: string }>;

interface Round {
  readonly cpuUs: number;
  readonly perSecond: number;
}

async function round({ pid, said }: Gateway): Promise<Round> {
  const before = cpuUs(pid);
  const callers = await run<{ right: number; ms: number }>("callers.ts", said.url, said.key, String(REQUESTS), String(CONCURRENCY));
  await callers.stop();
  if (callers.said.right !== REQUESTS) throw new Error(`${REQUESTS - callers.said.right} answers were wrong`);
  return { cpuUs: (cpuUs(pid) - before) / REQUESTS, perSecond: (REQUESTS / callers.said.ms) * 1000 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const folder = mkdtempSync(join(tmpdir(), "tollgate-ledger-"));
const upstream = await run<{ url: string }>("upstream.ts");
const gateways = new Map<string, Gateway>();
for (const variant of VARIANTS) gateways.set(variant, await run("gateway-under-test.ts", variant, folder, upstream.said.url));

const results = new Map<string, Round[]>(VARIANTS.map((variant) => [variant, []]));
for (const gateway of gateways.values()) await round(gateway);
for (let at = 0; at < ROUNDS; at++) {
  for (const variant of VARIANTS.toSorted(() => Math.random() - 0.5)) results.get(variant)!.push(await round(gateways.get(variant)!));
}

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
