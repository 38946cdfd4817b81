import { treeRssMib } from "../machine/process-tree.ts";
import { mustBeRight } from "../gate/right-answers.ts";
import { wrongIn, type ClientResult } from "../load/client-result.ts";
import { runProgram } from "../load/run-program.ts";
import { runWrk } from "../load/wrk.ts";
import { startSseMock } from "../mock/sse-mock.ts";
import { QUESTION } from "../question.ts";
import { slopeOf } from "../protocol/statistics.ts";
import { withSystems, type RunningSystem, type System } from "../systems/system.ts";

const JSON_MODEL = "m";
const STREAM_MODEL = "sse-200-10";
const STREAM_SECONDS = 2;
export const REST_MS = 5000;
export const RECOVER_MS = 15_000;

/**
 * Measures the memory of a system in MiB: idle, under small JSON requests over 16 connections and 60 concurrent streams, and afterwards.
 */
export async function weighAlone(system: System, seconds: number): Promise<Record<string, number>> {
  const mock = await startSseMock();
  const models = { [JSON_MODEL]: JSON_MODEL, [STREAM_MODEL]: STREAM_MODEL };
  const values = await withSystems([system], { upstream: mock.upstream, models }, ([entrant]) => weigh(entrant!.running, seconds));
  await mock.stop();
  return values;
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
  const thirds = { firstThird: mostIn(seen, 0, 1 / 3), secondThird: mostIn(seen, 1 / 3, 2 / 3), lastThird: mostIn(seen, 2 / 3, 1) };
  return { rest, load: mostIn(seen, 0, 1), recovered: rss(), growth, ...thirds, ...latency };
}

function mostIn(seen: readonly { mib: number }[], from: number, to: number): number {
  return Math.max(...seen.slice(Math.floor(seen.length * from), Math.floor(seen.length * to)).map(({ mib }) => mib));
}

/** JSON requests in four parts, to compare the first with the last. */
async function quarters(running: RunningSystem, seconds: number): Promise<{ p99FirstUs: number; p99LastUs: number }> {
  const body = JSON.stringify({ model: JSON_MODEL, messages: QUESTION, max_tokens: 100 });
  const p99s: number[] = [];
  for (let part = 0; part < 4; part++) {
    const made = await runWrk(running.target, { method: "POST", body, connections: 16, seconds: Math.ceil(seconds / 4) });
    mustBeRight(running, made.wrong, "to JSON beside streams");
    p99s.push(made.p99Us);
  }
  return { p99FirstUs: p99s[0]!, p99LastUs: p99s[3]! };
}

/** The starts are spread over the duration of one stream, so the last streams end later. */
async function streamFor(running: RunningSystem, seconds: number): Promise<void> {
  const repeats = Math.ceil(seconds / STREAM_SECONDS) - 1;
  const staggerMs = STREAM_SECONDS * 1000;
  const target = { ...running.target, model: STREAM_MODEL };
  mustBeRight(
    running,
    wrongIn(await runProgram<ClientResult>("streams", { target, streams: 60, repeats, staggerMs })),
    "to streams beside JSON",
  );
}
