/**
 * Measures the cost of a hundred thousand keys: the CPU time of a request compared with a single key, the time of an
 * authentication, the startup time, and how long the platform takes to list, search and create.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addManyKeys } from "../test/support/gateway/many-keys.ts";
import { startGateway } from "../test/support/gateway/start-gateway.ts";
import { median } from "./protocol/statistics.ts";
import { run, takeTurns, type Gateway } from "./rounds.ts";

const COUNT = 100_000;
const ROUNDS = 9;
const REQUESTS = 6000;
const CONCURRENCY = Number(process.argv[2] ?? 16);
const CALLS = 20;

const BASE = "1 key";
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  [BASE]: ["0", "one", "noted"],
  "1 key, uses not noted": ["0", "one", "not noted"],
  "100,000 keys, one calls": [String(COUNT), "one", "noted"],
  "100,000 keys, all call": [String(COUNT), "all", "noted"],
};

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function measureRequests(): Promise<void> {
  const upstream = await run<{ url: string }>("ledger/upstream.ts");
  const gateways = new Map<string, Gateway>();
  const folders: string[] = [];
  for (const [name, args] of Object.entries(VARIANTS)) {
    folders.push(mkdtempSync(join(tmpdir(), "tollgate-keys-")));
    gateways.set(name, await run("ledger/gateway-under-test.ts", "process", folders.at(-1)!, upstream.said.url, ...args));
  }
  const results = await takeTurns(gateways, ROUNDS, REQUESTS, CONCURRENCY);
  for (const process of [...gateways.values(), upstream]) await process.stop();
  for (const folder of folders) rmSync(folder, { recursive: true });

  const base = results.get(BASE)!;
  say(`CPU per request, ${CONCURRENCY} at a time, median of ${ROUNDS} rounds of ${REQUESTS}, and its ratio to the first, round by round`);
  for (const [name, rounds] of results) {
    const ratios = rounds.map((each, at) => each.cpuUs / base[at]!.cpuUs);
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    say(`  ${name.padEnd(26)} ${median(rounds.map((each) => each.cpuUs)).toFixed(1)} µs, ${median(ratios).toFixed(3)} (${range})`);
  }
}

async function measureAuthentication(): Promise<void> {
  const timing = await run<{ one: number[]; many: number[] }>("keys/time-authentication.ts", String(COUNT));
  await timing.stop();
  const { said } = timing;
  const ratios = said.many.map((us, at) => us / said.one[at]!);
  say(
    `To let a caller in: ${median(said.one).toFixed(2)} µs with one key, ${median(said.many).toFixed(2)} µs with ${COUNT} that take turns`,
  );
  say(`  ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`);
}

/** Milliseconds from the start to the greeting, and the memory then in MB. */
async function timeStart(folder: string): Promise<{ ms: number; mb: number; gateway: Awaited<ReturnType<typeof startGateway>> }> {
  const begun = performance.now();
  const gateway = await startGateway({ folder });
  const ms = performance.now() - begun;
  const mb = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1]) / 1024;
  return { ms, mb, gateway };
}

async function measurePlatform(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-keys-"));
  const first = await timeStart(folder);
  await first.gateway.end();
  const few = await timeStart(folder);
  await few.gateway.end();
  addManyKeys(join(folder, "data", "tollgate.db"), COUNT);
  const { ms, mb, gateway } = await timeStart(folder);
  say(
    `A start: ${few.ms.toFixed(0)} ms and ${few.mb.toFixed(0)} MB with one key, ${ms.toFixed(0)} ms and ${mb.toFixed(0)} MB with ${COUNT}`,
  );
  const { next } = await gateway.platform<{ next: string }>("GET", "/api/keys?search=number%2049&limit=1");
  const calls: [string, () => Promise<unknown>][] = [
    ["list, a page of 50", () => gateway.platform("GET", "/api/keys")],
    ["list, a page of 1000", () => gateway.platform("GET", "/api/keys?limit=1000")],
    ["list, from the middle", () => gateway.platform("GET", `/api/keys?cursor=${next}`)],
    ["search that finds a few", () => gateway.platform("GET", "/api/keys?search=number%204999")],
    ["search that finds none", () => gateway.platform("GET", "/api/keys?search=nothing-like-it")],
    ["create", () => gateway.platform("POST", "/api/keys", { name: "new", models: ["*"] })],
  ];
  for (const [name, call] of calls) {
    const times: number[] = [];
    for (let at = 0; at < CALLS; at++) {
      const begun = performance.now();
      await call();
      times.push(performance.now() - begun);
    }
    say(`  ${name.padEnd(26)} ${median(times).toFixed(1)} ms`);
  }
  await gateway.stop();
}

await measureAuthentication();
await measurePlatform();
await measureRequests();
