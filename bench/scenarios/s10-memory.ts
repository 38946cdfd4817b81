import type { BenchRun } from "../bench-run.ts";
import { treeRssMib } from "../machine/process-tree.ts";
import type { ClientResult } from "../load/client-result.ts";
import { runProgram } from "../load/run-program.ts";
import { runWrk } from "../load/wrk.ts";
import { startSseMock } from "../mock/sse-mock.ts";
import { QUESTION } from "../question.ts";
import { slopeOf } from "../protocol/statistics.ts";
import { figureFrom, partFrom, type Sample } from "../report/samples.ts";
import type { Scenario } from "../report/result.ts";
import { withSystems, type RunningSystem } from "../systems/system.ts";

const JSON_MODEL = "m";
const STREAM_MODEL = "sse-200-10";
const STREAM_SECONDS = 2;
const REST_MS = 5000;
const RECOVER_MS = 15_000;
const LOAD_SECONDS = 120;
const SOAK_SECONDS = 1800;

export async function memory(run: BenchRun): Promise<Scenario> {
  const seconds = run.soak ? SOAK_SECONDS : Math.ceil(LOAD_SECONDS * run.scale);
  const samples: Sample[] = [];
  for (const system of run.systems.filter(({ name }) => name !== "direct")) {
    const mock = await startSseMock();
    const models = { [JSON_MODEL]: JSON_MODEL, [STREAM_MODEL]: STREAM_MODEL };
    const values = await withSystems([system], { upstream: mock.upstream, models }, ([entrant]) => weigh(entrant!.running, seconds));
    samples.push({ system: system.name, values });
    await mock.stop();
    run.tell(`memory: ${system.name}`);
  }
  return {
    id: "S10",
    title: "Memory",
    load: `At rest, ${REST_MS / 1000} s after the start; under small JSON over 16 connections and 60 streams at once, for ${seconds} s; and ${RECOVER_MS / 1000} s later.`,
    parts: [
      partFrom("memory", 1, samples, [
        figureFrom(samples, "rest", "memory at rest", "MiB"),
        figureFrom(samples, "load", "memory under load, at most", "MiB"),
        figureFrom(samples, "recovered", "memory afterwards", "MiB"),
        figureFrom(samples, "growth", "growth in the second half", "MiB/min"),
        figureFrom(samples, "p99FirstUs", "JSON latency p99, first quarter", "µs"),
        figureFrom(samples, "p99LastUs", "JSON latency p99, last quarter", "µs"),
      ]),
    ],
    notes: run.soak ? [] : ["A soak of 30 minutes is measured with --soak."],
  };
}

async function weigh(running: RunningSystem, seconds: number): Promise<Record<string, number>> {
  const rss = (): number => treeRssMib(running.pid!);
  await Bun.sleep(REST_MS);
  const rest = rss();
  const begun = performance.now();
  const seen: { minutes: number; mib: number }[] = [];
  const watching = setInterval(() => seen.push({ minutes: (performance.now() - begun) / 60_000, mib: rss() }), 500);
  const [latency] = await Promise.all([quarters(running, seconds), streamFor(running, seconds)]);
  clearInterval(watching);
  await Bun.sleep(RECOVER_MS);
  const late = seen.slice(Math.floor(seen.length / 2));
  const growth = slopeOf(late.map(({ minutes, mib }) => [minutes, mib]));
  return { rest, load: Math.max(...seen.map(({ mib }) => mib)), recovered: rss(), growth, ...latency };
}

/** JSON requests in four parts, so that the first can be held against the last. */
async function quarters({ target }: RunningSystem, seconds: number): Promise<{ p99FirstUs: number; p99LastUs: number }> {
  const body = JSON.stringify({ model: JSON_MODEL, messages: QUESTION, max_tokens: 100 });
  const p99s: number[] = [];
  for (let part = 0; part < 4; part++) {
    p99s.push((await runWrk(target, { method: "POST", body, connections: 16, seconds: Math.ceil(seconds / 4) })).p99Us);
  }
  return { p99FirstUs: p99s[0]!, p99LastUs: p99s[3]! };
}

async function streamFor({ target }: RunningSystem, seconds: number): Promise<void> {
  const repeats = Math.ceil(seconds / STREAM_SECONDS / 2);
  await runProgram<ClientResult>("streams", { target: { ...target, model: STREAM_MODEL }, streams: 60, repeats, staggerMs: 2000 });
}
