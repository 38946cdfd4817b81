/** Measures request statistics: the cost of updating them while requests are written, and a query for a month. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { redactSecrets } from "../src/http/redact-secrets.ts";
import type { RequestStatisticsQuery } from "../src/stores/request-log/request-log-store.ts";
import type { EndedRequest } from "../src/requests/request-notes.ts";
import { endedRequest } from "../test/request-log/ended-requests.ts";
import { LogInFolder } from "../test/request-log/log-in-folder.ts";

const [REQUESTS = 1_000_000, DAYS = 30, ACCOUNTS = 50, MODELS = 20] = process.argv.slice(2).map(Number);
const AT_ONCE = 2000;
const ROUNDS = 15;
const START_MS = Date.parse("2027-01-01T00:00:00Z");
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

const log = new LogInFolder({ redactSecrets, days: DAYS + 1 });
log.nowMs = START_MS;
print(`${REQUESTS.toLocaleString("en-US")} requests over ${DAYS} days, ${ACCOUNTS} accounts, each with any of ${MODELS} models`);
const [mean, longestStop] = await fill();
print(`note and write: ${mean.toFixed(2)} µs of CPU, mean; longest stop ${longestStop.toFixed(1)} ms of CPU`);
print(`on the disk: ${(bytesOnDisk() / REQUESTS).toFixed(0)} bytes a request\n`);
await measure("by day", { bounds: boundsEvery(DAY_MS) });
await measure("by hour", { bounds: boundsEvery(HOUR_MS) });
await measure("of an account, by day", { bounds: boundsEvery(DAY_MS), accountId: "account-3" });
await measure("of a model, by day", { bounds: boundsEvery(DAY_MS), model: "model-3" });
await measure("of both, by day", { bounds: boundsEvery(DAY_MS), accountId: "account-3", model: "model-3" });
await log.remove();

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The CPU time per request, and the longest block of the event loop. */
async function fill(): Promise<[number, number]> {
  let micros = 0;
  let longest = 0;
  for (let from = 0; from < REQUESTS; from += AT_ONCE) {
    const requests = Array.from({ length: AT_ONCE }, (_, at) => request(from + at));
    const cpu = process.cpuUsage();
    for (const ended of requests) log.store.note(ended);
    const stop = watchStops();
    await log.store.list({}, undefined, "older", 0);
    longest = Math.max(longest, stop());
    micros += cpuSince(cpu);
  }
  return [micros / REQUESTS, longest];
}

function bytesOnDisk(): number {
  return readdirSync(log.folder).reduce((sum, name) => sum + statSync(join(log.folder, name)).size, 0);
}

function request(at: number): EndedRequest {
  const isRefused = at % 30 === 0;
  const tookMs = 100 * Math.exp(Math.random() * 5);
  const accountId = `account-${Math.floor(Math.random() * ACCOUNTS)}`;
  const requestedModel = `model-${Math.floor(Math.random() * MODELS)}`;
  const refusal = { charge: undefined, attempts: [], begunAt: undefined, code: "rate_limit_exceeded" };
  const notes = { accountId, requestedModel, begunAt: 5000 + tookMs / 3, ...(isRefused && refusal) };
  const endedAtMs = START_MS + Math.floor((at / REQUESTS) * DAYS * DAY_MS);
  return { ...endedRequest({ endedAtMs, status: isRefused ? 429 : 200, notes }), endedAt: 5000 + tookMs };
}

function boundsEvery(ms: number): number[] {
  return Array.from({ length: (DAYS * DAY_MS) / ms + 1 }, (_, at) => START_MS + at * ms);
}

async function measure(name: string, question: RequestStatisticsQuery): Promise<void> {
  const rounds: [number, number, number][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const cpu = process.cpuUsage();
    const stop = watchStops();
    const begun = performance.now();
    await log.store.statistics(question);
    rounds.push([performance.now() - begun, cpuSince(cpu) / 1000, stop()]);
  }
  const [took, cpu, stopped] = [0, 1, 2].map((at) => rounds.map((round) => round[at]!).toSorted((a, b) => a - b));
  const words = [took!, cpu!, stopped!].map((all) => `${all[ROUNDS >> 1]!.toFixed(1)} (best ${all[0]!.toFixed(1)})`);
  print(
    `${name.padEnd(24)} ${words[0]} ms, ${words[1]} ms of CPU, longest stop ${words[2]} ms of CPU; the first ${rounds[0]![0].toFixed(1)} ms`,
  );
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Watches the event loop. The returned function returns the longest block, in milliseconds of CPU time. */
function watchStops(): () => number {
  let longest = 0;
  let last = process.cpuUsage();
  const timer = setInterval(look, 0);
  function look(): void {
    longest = Math.max(longest, cpuSince(last) / 1000);
    last = process.cpuUsage();
  }
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}
