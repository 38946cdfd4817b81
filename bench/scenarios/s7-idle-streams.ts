import { relays, type BenchRun } from "../bench-run.ts";
import type { ClientResult, Samples } from "../load/client-result.ts";
import { runProgram } from "../load/run-program.ts";
import { startSseMock, type SseMock } from "../mock/sse-mock.ts";
import { must } from "../gate/must.ts";
import { filesAllowed } from "../machine/file-limit.ts";
import { median } from "../protocol/statistics.ts";
import { shuffled } from "../protocol/shuffled.ts";
import { figureFrom, partFrom, type Sample } from "../report/samples.ts";
import type { Part, Scenario } from "../report/result.ts";
import { targetAt, withSystems, type RunningSystem } from "../systems/system.ts";
import { isTollgate } from "../systems/tollgate.ts";

const MODEL = "idle-15000";
const JSON_MODEL = "m";
/** A stream needs two files at a gateway, and Tollgate reserves a fifth of its files for other uses. */
const FILES_A_STREAM = 2.5;
const OTHER_FILES = 1000;
/** Each number of streams has a new process, because freed memory may stay with a process. */
const MIN_STREAMS = 1000;
const COUNTS = [
  { streams: MIN_STREAMS, times: 3 },
  { streams: 5000, times: 3 },
  { streams: 10_000, times: 2 },
] as const;

export async function idleStreams(run: BenchRun): Promise<Scenario> {
  const parts: Part[] = [];
  const leftOut: string[] = [];
  for (const { streams, times } of COUNTS) {
    if (run.scale < 1 && streams > MIN_STREAMS) continue;
    if (streams * FILES_A_STREAM + OTHER_FILES > filesAllowed()) {
      leftOut.push(`${streams} streams are left out: a process may have ${filesAllowed()} files open here.`);
      continue;
    }
    parts.push(await measureIdle(run, { streams, times: run.scale < 1 ? 1 : times, fewest: parts[0] }));
  }
  return {
    id: "S7",
    title: "Idle streams",
    load: "Streams that are opened at 500 a second and held, with one chunk each 15 seconds.",
    parts,
    notes: [
      `Memory per stream is how much more is resident than with ${MIN_STREAMS.toLocaleString("en-US")} streams, divided by how many more they are; every stream must come to its end whole.`,
      ...leftOut,
    ],
  };
}

interface IdleResult {
  readonly streams: number;
  readonly times: number;
  /** The measurement with the fewest streams, if there is one. */
  readonly fewest: Part | undefined;
}

async function measureIdle(run: BenchRun, { streams, times, fewest }: IdleResult): Promise<Part> {
  const samples: Sample[] = [];
  for (let time = 1; time <= times; time++) {
    for (const system of shuffled(relays(run))) {
      const mock = await startSseMock();
      const held = await withSystems(
        [system],
        { upstream: mock.upstream, models: { [MODEL]: MODEL, [JSON_MODEL]: JSON_MODEL } },
        ([entrant]) => hold(entrant!.running, mock, streams),
      );
      await mock.stop();
      if (held === null) run.reportProgress(`${streams} idle streams: ${system.name} did not hold them`);
      else samples.push({ system: system.name, values: held });
    }
    run.reportProgress(`${streams} idle streams: ${time} of ${times}`);
  }
  return partFrom(`${streams} streams`, times, samples, [
    ...(fewest ? [figureFrom(perStream(samples, streams, fewest), "kb", "memory per stream", "KB")] : []),
    figureFrom(samples, "heldMib", "memory while held", "MiB"),
    figureFrom(samples, "fds", "open files while held", "files"),
    figureFrom(samples, "p50Us", "added latency p50 meanwhile", "µs"),
    figureFrom(samples, "p99Us", "added latency p99 meanwhile", "µs"),
  ]);
}

/**
 * The memory of one more stream. The first streams use memory that was already free, so the measurement with the fewest streams is
 * subtracted.
 */
function perStream(samples: readonly Sample[], streams: number, fewest: Part): Sample[] {
  const held = fewest.figures.find(({ id }) => id === "heldMib")!.samples;
  return samples.flatMap(({ system, values }) => {
    const least = held[system];
    return least ? [{ system, values: { kb: ((values["heldMib"]! - median(least)) * 1024) / (streams - MIN_STREAMS) } }] : [];
  });
}

interface IdleStreamsResult extends ClientResult {
  readonly whole: number;
  readonly rssKb: { readonly held: number };
  readonly fds: { readonly held: number };
  readonly latency: { readonly addedUs: Samples } | null;
}

/** Null if a system other than Tollgate lost streams. */
async function hold(running: RunningSystem, mock: SseMock, streams: number): Promise<Record<string, number> | null> {
  const target = { ...running.target, model: MODEL };
  const [direct, jsonTarget] = [targetAt(mock.port), running.target].map((at) => ({ ...at, model: JSON_MODEL }));
  const latency = { direct, target: jsonTarget, pairs: 1000, warmup: 200 };
  // The first requests of a new process allocate memory, so they are sent before the measurement.
  await runProgram("paired-latency", { ...latency, pairs: 3000 });
  const { said } = await runProgram<IdleStreamsResult>("idle-streams", {
    target,
    streams,
    perSecond: 500,
    holdSeconds: 20,
    pid: running.pid,
    mock: mock.url,
    latency,
  });
  const whole = said.ok && said.whole === streams;
  if (isTollgate(running)) must(whole, `${said.whole} of ${streams} idle streams were whole: ${JSON.stringify(said.errors)}`);
  if (!whole) return null;
  return {
    heldMib: said.rssKb.held / 1024,
    fds: said.fds.held,
    p50Us: said.latency!.addedUs.p50,
    p99Us: said.latency!.addedUs.p99,
  };
}
