import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { BenchRun } from "../bench-run.ts";
import { must } from "../gate/must.ts";
import { mustBeRight } from "../gate/right-answers.ts";
import { countLoad } from "../load/count-load.ts";
import { treeRssMib } from "../machine/process-tree.ts";
import { runWrk } from "../load/wrk.ts";
import { startSseMock } from "../mock/sse-mock.ts";
import { shuffled } from "../protocol/shuffled.ts";
import { QUESTION } from "../question.ts";
import { figureFrom, partFrom, type Sample } from "../report/samples.ts";
import type { Part, Scenario } from "../report/result.ts";
import { tollgate, type RunningTollgate } from "../systems/tollgate.ts";
import { manyKeys } from "./many-keys.ts";
import { statusesOf } from "./statuses.ts";

const GOOD = "m";
const REFUSALS = ["status-429", "status-500"] as const;
const FAULTS = [...REFUSALS, "hang"] as const;
const WARM_UP = 40_000;
const TIMES = 5;
const END_USERS = 10_000;
const LOCKED_MS = 60_000;
/** How long the recovery may take. */
const BACK_MS = 30_000;

/** Measures the cost of faults, of Tollgate only, because the other systems lack these features. */
export async function faults(run: BenchRun): Promise<Scenario> {
  const [good, bad] = [await startSseMock(), await startSseMock()];
  const models = { [GOOD]: GOOD };
  const beside = { upstream: bad.upstream, models: Object.fromEntries(FAULTS.map((name) => [name, name])) };
  const parts: Part[] = [];
  const gateway = await tollgate.start({ upstream: good.upstream, models, beside });
  parts.push(await besideFaults(run, gateway), await endUsers(run, gateway), await lockedLedger(run, gateway));
  await gateway.stop();
  parts.push(await manyKeys(run, good));
  for (const mock of [good, bad]) await mock.stop();
  return {
    id: "S13",
    title: "Faults, and much of everything",
    load: "The small JSON of S1 to Tollgate, while something else is not as it should be.",
    parts,
    notes: [
      "Callers of the healthy upstream got only 200. Callers of an upstream that refuses got 429 or 5xx, and while the database was locked callers got 200 or 503: nobody got 401.",
      "Callers of the faulty upstream share the core, so the others have less of it.",
    ],
  };
}

function question(model: string): string {
  return JSON.stringify({ model, messages: QUESTION, max_tokens: 100 });
}

/** Requests to a healthy upstream, while other clients call an upstream that rejects or hangs. */
async function besideFaults(run: BenchRun, gateway: RunningTollgate): Promise<Part> {
  await countLoad(gateway.target, { body: question(GOOD), answer: null, count: WARM_UP * run.scale, connections: 16 });
  for (const fault of REFUSALS) await mustBeTold(gateway, fault);
  const samples: Sample[] = [];
  for (let time = 1; time <= TIMES; time++) {
    for (const fault of shuffled([null, ...FAULTS])) samples.push(await besideFault(run, gateway, fault));
    run.reportProgress(`beside a faulty upstream: ${time} of ${TIMES}`);
  }
  return partFrom("a faulty upstream beside a healthy one", TIMES, samples, [
    figureFrom(samples, "perSecond", "answers of the healthy one per second", ""),
    figureFrom(samples, "p99Us", "their latency p99", "µs"),
    figureFrom(samples, "rss", "memory", "MiB"),
  ]);
}

/** A fault of an upstream is never reported as an invalid key of the client. */
async function mustBeTold(gateway: RunningTollgate, fault: string): Promise<void> {
  const statuses = Object.keys(await statusesOf(gateway.target, 200, 8, () => JSON.parse(question(fault)) as object));
  must(
    statuses.every((status) => status === "429" || Number(status) >= 500),
    `callers of ${fault} got ${statuses.join(", ")}`,
  );
}

async function besideFault(run: BenchRun, gateway: RunningTollgate, fault: string | null): Promise<Sample> {
  const others = fault && runWrk(gateway.target, { method: "POST", body: question(fault), connections: 8, seconds: run.seconds });
  const made = await runWrk(gateway.target, { method: "POST", body: question(GOOD), connections: 16, seconds: run.seconds });
  await others;
  mustBeRight(gateway, made.wrong, `of a healthy upstream beside ${fault}`);
  const values = { perSecond: made.requests / made.seconds, p99Us: made.p99Us, rss: treeRssMib(gateway.pid) };
  return { system: fault ?? "no fault", values };
}

/** Clients choose the names of end users, so no long-lived memory may grow with them. */
async function endUsers(run: BenchRun, gateway: RunningTollgate): Promise<Part> {
  const count = END_USERS * run.scale;
  const weigh = async (system: string): Promise<Sample> => ({
    system,
    values: { metricsKb: (await gateway.metrics()).length / 1024, rss: treeRssMib(gateway.pid) },
  });
  const before = await weigh("before");
  const statuses = await statusesOf(gateway.target, count, 16, (at) => ({ ...JSON.parse(question(GOOD)), user: `user-${at}` }));
  must(statuses[200] === count, `end users got ${JSON.stringify(statuses)}`);
  const samples = [before, await weigh(`after ${count.toLocaleString("en-US")}`)];
  return partFrom("end users", 1, samples, [
    figureFrom(samples, "metricsKb", "size of /metrics", "KB"),
    figureFrom(samples, "rss", "memory", "MiB"),
  ]);
}

/** Sends requests for a time, and counts the statuses. */
async function askFor(ms: number, ask: (count: number) => Promise<Record<number, number>>): Promise<Record<number, number>> {
  const asked: Promise<Record<number, number>>[] = [];
  for (const until = performance.now() + ms; performance.now() < until; await Bun.sleep(200)) asked.push(ask(20));
  const all: Record<number, number> = {};
  for (const [status, count] of (await Promise.all(asked)).flatMap((each) => Object.entries(each))) {
    all[Number(status)] = (all[Number(status)] ?? 0) + count;
  }
  return all;
}

/** Another process locks the database: requests wait or receive 503, and succeed again when the lock is released. */
async function lockedLedger(run: BenchRun, { target, folder }: RunningTollgate): Promise<Part> {
  const lockedMs = LOCKED_MS * run.scale;
  const ask = (count: number): Promise<Record<number, number>> => statusesOf(target, count, 4, () => JSON.parse(question(GOOD)) as object);
  const file = new Database(join(folder, "data", "tollgate.db"));
  file.run("begin immediate");
  const during = askFor(lockedMs, ask);
  await Bun.sleep(lockedMs);
  file.run("rollback");
  file.close();
  const locked = await during;
  must(
    Object.keys(locked).every((status) => ["200", "503"].includes(status)),
    `while it was locked callers got ${JSON.stringify(locked)}`,
  );
  const released = performance.now();
  for (const deadline = Date.now() + BACK_MS; Date.now() < deadline && (await ask(1))[200] !== 1;) await Bun.sleep(10);
  const backMs = performance.now() - released;
  const after = await ask(200);
  must(after[200] === 200, `after the database was back callers got ${JSON.stringify(after)}`);
  const samples = [
    { system: "locked", values: { ok: locked[200] ?? 0, unavailable: locked[503] ?? 0 } },
    { system: "afterwards", values: { ok: 200, unavailable: 0, backMs } },
  ];
  return partFrom(`the database locked for ${lockedMs / 1000} s`, 1, samples, [
    figureFrom(samples, "ok", "answered 200", "requests"),
    figureFrom(samples, "unavailable", "answered 503", "requests"),
    figureFrom(samples, "backMs", "until the first 200", "ms"),
  ]);
}
