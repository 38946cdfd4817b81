import { relays, type BenchRun } from "../bench-run.ts";
import { mustBeRight } from "../gate/right-answers.ts";
import { wrongIn, type ClientResult, type Samples } from "../load/client-result.ts";
import { runProgram } from "../load/run-program.ts";
import { startSseMock, type SseMock } from "../mock/sse-mock.ts";
import { shuffled } from "../protocol/shuffled.ts";
import { figureFrom, partFrom, type Sample } from "../report/samples.ts";
import type { Part, Scenario } from "../report/result.ts";
import { withSystems, type RunningSystem, type SystemRequirements } from "../systems/system.ts";

const BIG = "big-5mib";
const LONG = "sse-500-20";
const TIMES = 3;
const READERS = 100;
const DISCONNECTS = 1000;

export async function slowReaders(run: BenchRun): Promise<Scenario> {
  const times = run.scale < 1 ? 1 : TIMES;
  return {
    id: "S8",
    title: "Slow and disconnecting readers",
    load: `${READERS} readers at 1 KB/s of streams of 5 MiB; and ${DISCONNECTS} callers who leave in mid-stream, 500 a second.`,
    parts: [
      await measureEach(run, "slow readers", times, slow, [
        ["grownMib", "memory grown by", "MiB"],
        ["maxMib", "memory at most", "MiB"],
      ]),
      await measureEach(run, "callers who leave", times, leave, [
        ["seenP50Ms", "until the upstream sees it p50", "ms"],
        ["seenP99Ms", "until the upstream sees it p99", "ms"],
        ["unseen", "never seen", "streams"],
        ["filesLeft", "files left open", "files"],
      ]),
    ],
    notes: [],
  };
}

type WeighedSystem = RunningSystem & { readonly pid: number };
type MeasureReaders = (running: WeighedSystem, mock: SseMock) => Promise<Record<string, number>>;

async function measureEach(
  run: BenchRun,
  name: string,
  times: number,
  attempt: MeasureReaders,
  figures: [string, string, string][],
): Promise<Part> {
  const samples: Sample[] = [];
  for (let time = 1; time <= times; time++) {
    for (const system of shuffled(relays(run))) {
      const mock = await startSseMock();
      const wanted: SystemRequirements = { upstream: mock.upstream, models: { [BIG]: BIG, [LONG]: LONG } };
      const values = await withSystems([system], wanted, ([entrant]) => attempt({ ...entrant!.running, pid: entrant!.running.pid! }, mock));
      samples.push({ system: system.name, values });
      await mock.stop();
    }
    run.reportProgress(`${name}: ${time} of ${times}`);
  }
  return partFrom(
    name,
    times,
    samples,
    figures.map(([id, title, unit]) => figureFrom(samples, id, title, unit)),
  );
}

interface SlowReaderResult extends ClientResult {
  readonly rssKb: { readonly before: number; readonly max: number };
}

async function slow(running: WeighedSystem): Promise<Record<string, number>> {
  const { target, pid } = running;
  const argument = { target: { ...target, model: BIG }, readers: READERS, bytesPerSecond: 1024, seconds: 10, pid };
  const ran = await runProgram<SlowReaderResult>("slow-readers", argument);
  mustBeRight(running, wrongIn(ran), "to slow readers");
  const { rssKb } = ran.said;
  return { grownMib: (rssKb.max - rssKb.before) / 1024, maxMib: rssKb.max / 1024 };
}

interface DisconnectResult extends ClientResult {
  readonly seen: number;
  readonly seenMs: Samples | null;
  readonly fds: { readonly before: number; readonly after: number };
}

async function leave(running: WeighedSystem, mock: SseMock): Promise<Record<string, number>> {
  const { target, pid } = running;
  const argument = { target: { ...target, model: LONG }, disconnects: DISCONNECTS, perSecond: 500, pid, mock: mock.url };
  const ran = await runProgram<DisconnectResult>("disconnects", argument);
  mustBeRight(running, wrongIn(ran), "to callers who leave");
  const { seen, seenMs, fds } = ran.said;
  const times = seenMs ? { seenP50Ms: seenMs.p50, seenP99Ms: seenMs.p99 } : {};
  return { ...times, unseen: DISCONNECTS - seen, filesLeft: fds.after - fds.before };
}
