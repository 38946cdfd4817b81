import { relays, type BenchRun } from "../bench-run.ts";
import { freePort } from "../machine/free-port.ts";
import { startJsonMock } from "../mock/json-mock.ts";
import { MODEL } from "../mock/answer.ts";
import { QUESTION } from "../question.ts";
import { shuffled } from "../protocol/shuffled.ts";
import { figureFrom, partFrom, type Sample } from "../report/samples.ts";
import type { Scenario } from "../report/result.ts";
import { targetAt, type System, type Target, type SystemRequirements } from "../systems/system.ts";
import { spawnTollgate, tollgate } from "../systems/tollgate.ts";
import { jsonUpstream } from "./json-load.ts";

const STARTS = 20;

/** Milliseconds from the start of the process to its first response. */
type Start = () => Promise<number>;

export async function coldStart(run: BenchRun): Promise<Scenario> {
  const mock = await startJsonMock();
  const wanted = jsonUpstream(mock);
  const starts = new Map<string, Start>();
  for (const system of relays(run)) {
    starts.set(system.name, system.name === "tollgate" ? await tollgateStart(wanted) : () => startOf(system, wanted));
  }
  const samples: Sample[] = [];
  const times = Math.ceil(STARTS * run.scale);
  for (let time = 1; time <= times; time++) {
    for (const [system, start] of shuffled([...starts])) {
      samples.push({ system, values: { ms: await start() } });
    }
    run.reportProgress(`cold start: ${time} of ${times}`);
  }
  await mock.stop();
  return {
    id: "S9",
    title: "Cold start",
    load: `${STARTS} starts, with files in the page cache: from the start of the process to the first 200 of a chat completion.`,
    parts: [partFrom("to the first answer", times, samples, [figureFrom(samples, "ms", "cold start", "ms")])],
    notes: ["Tollgate has a data folder with an account and a key, as it has on every start but the first."],
  };
}

async function startOf(system: System, wanted: SystemRequirements): Promise<number> {
  const begun = performance.now();
  const running = await system.start(wanted);
  await untilAnswer(running.target);
  const took = performance.now() - begun;
  await running.stop();
  return took;
}

/** The first start, which creates the key, is not measured. */
async function tollgateStart(wanted: SystemRequirements): Promise<Start> {
  const first = await tollgate.start(wanted);
  await first.crash();
  return async () => {
    const port = await freePort();
    const begun = performance.now();
    const child = spawnTollgate(first.folder, { TOLLGATE_PORT: String(port) });
    await untilAnswer(targetAt(port, first.target.headers));
    const took = performance.now() - begun;
    child.kill();
    await child.exited;
    return took;
  };
}

async function untilAnswer({ port, path, headers }: Target): Promise<void> {
  const body = JSON.stringify({ model: MODEL, messages: QUESTION, max_tokens: 100 });
  for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body }).catch(() => null);
    await response?.body?.cancel();
    if (response?.status === 200) return;
    await Bun.sleep(1);
  }
  throw new Error(`No answer at port ${port} for 30 seconds.`);
}
