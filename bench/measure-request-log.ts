/** Measures the request log: the cost of recording and writing a request, the disk space, and a search in a day of a million. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { redactSecrets } from "../src/http/redact-secrets.ts";
import type { RequestFilter } from "../src/stores/request-log/request-log-store.ts";
import type { EndedRequest } from "../src/requests/request-notes.ts";
import { endedRequest } from "../test/request-log/ended-requests.ts";
import { LogInFolder } from "../test/request-log/log-in-folder.ts";

const REQUESTS = Number(process.argv[2] ?? 1_000_000);
/** The requests of a busy gateway in a fifth of a second. */
const AT_ONCE = 2000;
const ACCOUNTS = 50;
const KEYS = 200;
const END_USERS = 10_000;
const START_MS = Date.parse("2027-01-31T00:00:00Z");
const DAY_MS = 24 * 60 * 60 * 1000;

const log = new LogInFolder({ redactSecrets });
log.nowMs = START_MS;
const costs = await fill();
print(`${REQUESTS.toLocaleString("en-US")} requests of ${KEYS} keys and ${ACCOUNTS} accounts in one day, ${AT_ONCE} at a time`);
print(`to take note of one:  ${costs.noteNanos.toFixed(0)} ns`);
print(`note and write:       ${costs.cpuMicros.toFixed(2)} µs of CPU, median of rounds; ${costs.leastMicros.toFixed(2)} in the best`);
print(`longest stop:         ${costs.stopMs.toFixed(1)} ms while writing`);
print(`on the disk:          ${(bytesOnDisk() / REQUESTS).toFixed(0)} bytes a request\n`);

const [newest] = await log.store.list({}, undefined, "older", 1);
await measure("newest page", {});
await measure("of an account", { accountId: "account-3" });
await measure("of a key", { keyId: "key-00000117" });
await measure("that were refused", { outcome: "refused" });
await measure("an account's, refused", { accountId: "account-3", outcome: "refused" });
await measure("of one account in a million", { accountId: "rare" });
await measure("of an end user", { attributed: [{ dimension: "user", names: ["user-117"] }] });
await measure("of one end user in a million", { attributed: [{ dimension: "user", names: ["rare"] }] });
await measure("of no end user", { attributed: [{ dimension: "user", names: ["nobody"] }] });
await measure("of no value of a tag", { attributed: [{ dimension: "tag:team", names: ["nobody"] }] });
await measure("of nobody", { accountId: "nobody" });
await measure("of an hour in the morning", { fromMs: START_MS + 6 * 3_600_000, toMs: START_MS + 7 * 3_600_000 });
await measure("what never comes together", { outcome: "complete", code: "rate_limit_exceeded" });
await time("by its id", () => log.store.find(newest!.request.requestId));
await time("by an id that is not there", () => log.store.find(`req_${Bun.randomUUIDv7("hex", START_MS + DAY_MS / 2)}`));
await log.remove();

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function fill(): Promise<{ noteNanos: number; cpuMicros: number; leastMicros: number; stopMs: number }> {
  const rounds: number[] = [];
  const notes: number[] = [];
  let stopMs = 0;
  for (let from = 0; from < REQUESTS; from += AT_ONCE) {
    const requests = Array.from({ length: AT_ONCE }, (_, at) => request(from + at));
    const cpu = process.cpuUsage();
    const begun = Bun.nanoseconds();
    for (const ended of requests) log.store.note(ended);
    notes.push((Bun.nanoseconds() - begun) / AT_ONCE);
    const stop = watchStops();
    await log.store.list({}, undefined, "older", 0);
    stopMs = Math.max(stopMs, stop());
    const { user, system } = process.cpuUsage(cpu);
    rounds.push((user + system) / AT_ONCE);
  }
  return { noteNanos: median(notes), cpuMicros: median(rounds), leastMicros: Math.min(...rounds), stopMs };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function request(at: number): EndedRequest {
  const isRefused = at % 30 === 0;
  const keyId = `key-${String(at % KEYS).padStart(8, "0")}`;
  const accountId = at === 17 ? "rare" : `account-${at % ACCOUNTS}`;
  const { charge, attempts } = endedRequest().notes;
  return endedRequest({
    endedAtMs: START_MS + Math.floor((at / REQUESTS) * DAY_MS),
    status: isRefused ? 429 : 200,
    client: ["OpenAI/Python 1.99.1", "OpenAI/JS 7.53.0", "langchain/1.2 node"][at % 3]!,
    notes: {
      keyId,
      accountId,
      attribution: { user: at === 17 ? "rare" : `user-${(at * 7919) % END_USERS}`, tags: { team: `team-${at % 50}` } },
      requestedModel: `model-${at % 20}`,
      requestBytes: 3000 + (at % 1000),
      replyBytes: 8000 + (at % 3000),
      ...(isRefused ? { charge: undefined, attempts: [], code: "rate_limit_exceeded" } : { charge: charge!, attempts }),
    },
  });
}

async function measure(name: string, filter: RequestFilter): Promise<void> {
  await time(name, () => log.store.list(filter, undefined, "older", 50));
}

async function time(name: string, work: () => Promise<unknown>): Promise<void> {
  await work();
  const begun = performance.now();
  const stop = watchStops();
  const found = await work();
  const tookMs = performance.now() - begun;
  const count = Array.isArray(found) ? found.length : Number(found !== undefined);
  print(`${name.padEnd(30)} ${tookMs.toFixed(1).padStart(7)} ms, longest stop ${stop().toFixed(1)} ms, ${count} found`);
}

/** Watches the event loop. The returned function returns the longest time for which it was blocked. */
function watchStops(): () => number {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(look, 0);
  function look(): void {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}

function bytesOnDisk(): number {
  return readdirSync(log.folder).reduce((sum, name) => sum + statSync(join(log.folder, name)).size, 0);
}
