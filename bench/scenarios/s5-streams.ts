import type { BenchRun } from "../bench-run.ts";
import { wrongIn, type ClientResult, type Samples } from "../load/client-result.ts";
import { runProgram } from "../load/run-program.ts";
import { startSseMock, type SseMock } from "../mock/sse-mock.ts";
import { cpuPer, measurePart, MEMORY, told } from "../protocol/measure-part.ts";
import type { Visit, Work } from "../protocol/visit.ts";
import type { Part, Scenario } from "../report/result.ts";
import { warmAll, withSystems, type Entrant } from "../systems/system.ts";
import { watchStreamBilling } from "../gate/billed-streams.ts";

const MODEL = "sse-200-10";
const CHUNKS = 200;
/**
 * Warms up with enough chunks and concurrent streams. The headline number of streams is measured in all rounds; the others show the effect
 * of more and fewer streams.
 */
const WARM_UP = { streams: 60, repeats: 6 };
/** Merged chunks cost less, so a figure per chunk is meaningless if the upstream was late with more than this share. */
const LATE_SHARE = 0.05;
/** With more streams than this, one core is not enough for the upstream and the clients. */
const KEEPS_UP = 200;
const COUNTS = [
  { streams: 60, repeats: 3 },
  { streams: 1, repeats: 3, rounds: 5 },
  { streams: 200, repeats: 3, rounds: 5 },
  { streams: 500, repeats: 3, rounds: 5 },
] as const;

export const ABOUT_STREAMS = `Streams of ${CHUNKS} chunks of about 190 bytes, 10 ms apart, started evenly over a second`;

export async function streams(run: BenchRun): Promise<Scenario> {
  return {
    id: "S5",
    title: "Streams",
    load: `${ABOUT_STREAMS}, three after the other.`,
    parts: await streamParts(run, COUNTS),
    notes: [
      "Every stream must have each chunk in its place, the counts of tokens and [DONE]: an incomplete stream makes a round void.",
      `With more than ${KEEPS_UP} streams upstream and callers need more than their core: chunks come together, and cost less each.`,
    ],
  };
}

/** Measures a part for each number of streams. The systems are started once and warmed up. */
export async function streamParts(run: BenchRun, counts: readonly Count[]): Promise<Part[]> {
  const mock = await startSseMock();
  try {
    const wanted = { upstream: mock.upstream, models: { [MODEL]: MODEL } };
    const measure = async (entrants: readonly Entrant[]): Promise<Part[]> => {
      const able = await warmAll(entrants, run, (entrant) => warmUp(entrant, mock));
      const measured: Part[] = [];
      for (const count of counts) measured.push(await measureStreams(run, able, mock, count));
      return measured;
    };
    return await withSystems(run.systems, wanted, measure, run);
  } finally {
    await mock.stop();
  }
}

async function warmUp(entrant: Entrant, mock: SseMock): Promise<void> {
  const repeats = Math.ceil(WARM_UP.repeats * (entrant.system.warmUpShare ?? 1));
  const { wrong } = await streamTo(entrant, mock, WARM_UP.streams, repeats);
  if (wrong > 0) throw new Error(`${wrong} of ${WARM_UP.streams * repeats} streams were wrong`);
}

interface Count {
  readonly streams: number;
  readonly repeats: number;
  readonly rounds?: number;
}

function measureStreams(run: BenchRun, entrants: readonly Entrant[], mock: SseMock, count: Count): Promise<Part> {
  return measurePart(run, {
    name: count.streams === 1 ? "1 stream" : `${count.streams} streams`,
    entrants,
    mockPid: mock.pid,
    ...(count.rounds && { rounds: count.rounds }),
    work: (entrant) => streamTo(entrant, mock, count.streams, count.repeats),
    watch: (entrant): Promise<(made: Visit) => Promise<void>> => watchStreamBilling(entrant, mock),
    figures: [
      cpuPer("chunk"),
      told("gapP50Us", "gap between chunks, more than 10 ms, p50", "µs"),
      told("gapP99Us", "more than 10 ms, p99", "µs"),
      told("firstP50Us", "first text p50", "µs"),
      told("together", "chunks that came together", "%"),
      MEMORY,
    ],
  });
}

interface StreamResult extends ClientResult {
  readonly streams: number;
  readonly whole: number;
  readonly chunks: number;
  readonly coalesced: number;
  readonly gapUs: Samples | null;
  readonly firstUs: Samples | null;
}

async function streamTo({ running }: Entrant, mock: SseMock, count: number, repeats: number): Promise<Work> {
  const target = { ...running.target, model: MODEL };
  const before = await mock.counters();
  const ran = await runProgram<StreamResult>("streams", { target, streams: count, repeats, staggerMs: 1000 });
  const { chunks, coalesced, gapUs, firstUs, whole } = ran.said;
  if (!gapUs || !firstUs) throw new Error(`no stream had chunks: ${JSON.stringify(ran.said.errors)}`);
  const after = await mock.counters();
  const late = (after.lateChunks - before.lateChunks) / (after.chunks - before.chunks);
  return {
    units: chunks,
    wrong: Math.max(wrongIn(ran), count * repeats - whole),
    cpuUs: ran.cpuUs,
    figures: { gapP50Us: gapUs.p50, gapP99Us: gapUs.p99, firstP50Us: firstUs.p50, together: (100 * coalesced) / chunks },
    flaw: late > LATE_SHARE && count <= KEEPS_UP ? `the upstream was late with ${Math.round(late * 100)} % of its chunks` : null,
  };
}
