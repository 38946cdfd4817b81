/** Code shared by the benchmarks that compare gateways: processes, their CPU time, and rounds of requests. */
import { join } from "node:path";
import { processCpuUs } from "./machine/cpu-clock.ts";
import { shuffled } from "./protocol/shuffled.ts";

/** Longer than any delay of background writes. */
const BACKGROUND_DELAY_MS = 500;

export interface RunningProgram<T> {
  readonly pid: number;
  readonly said: T;
  stop(): Promise<void>;
}

/** Starts a script of this folder, and waits for the JSON that it prints when it is ready. */
export async function run<T>(script: string, ...args: string[]): Promise<RunningProgram<T>> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], {
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

/** `keys` is a key, or `@` and the name of a file with one key per line, which are used in turn. */
export type Gateway = RunningProgram<{ url: string; keys: string }>;

export interface Round {
  /** Per request. */
  readonly cpuUs: number;
  readonly perSecond: number;
}

/** Sends requests to a gateway with a given concurrency. A measurement counts only if every response was correct. */
export async function round({ pid, said }: Gateway, requests: number, concurrency: number): Promise<Round> {
  const before = processCpuUs(pid)!;
  const args = [said.url, said.keys, String(requests), String(concurrency)];
  const callers = await run<{ right: number; ms: number }>("ledger/callers.ts", ...args);
  await callers.stop();
  // Background writes are part of the cost of a request.
  await Bun.sleep(BACKGROUND_DELAY_MS);
  if (callers.said.right !== requests) throw new Error(`${requests - callers.said.right} answers were wrong`);
  return { cpuUs: (processCpuUs(pid)! - before) / requests, perSecond: (requests / callers.said.ms) * 1000 };
}

/** Rounds of all gateways, alternating in random order, after a warm-up. */
export async function takeTurns(
  gateways: ReadonlyMap<string, Gateway>,
  rounds: number,
  requests: number,
  concurrency: number,
): Promise<Map<string, Round[]>> {
  const results = new Map<string, Round[]>([...gateways.keys()].map((name) => [name, []]));
  for (const gateway of gateways.values()) await round(gateway, requests, concurrency);
  for (let at = 0; at < rounds; at++) {
    for (const [name, gateway] of shuffled([...gateways])) {
      results.get(name)!.push(await round(gateway, requests, concurrency));
    }
  }
  return results;
}
