import { relays, type BenchRun } from "../bench-run.ts";
import { wrongIn, type ClientResult, type Samples } from "../load/client-result.ts";
import { runProgram } from "../load/run-program.ts";
import { runWrk } from "../load/wrk.ts";
import { MODEL } from "../mock/answer.ts";
import { startJsonMock, type JsonMock } from "../mock/json-mock.ts";
import { cpuPer, measurePart, told } from "../protocol/measure-part.ts";
import { MIN_SAMPLES } from "../protocol/statistics.ts";
import type { Work } from "../protocol/visit.ts";
import type { Part, Scenario } from "../report/result.ts";
import { isTollgateName, targetAt, warmAll, withSystems, type Entrant, type Target } from "../systems/system.ts";
import { ABOUT_PROCESSES } from "./about-processes.ts";
import { jsonUpstream, warmUp } from "./json-load.ts";
import { ratesFor } from "./latency-rates.ts";
import { PAIRS, pairs } from "./s2-added-latency.ts";
import { SMALL_JSON } from "./s1-small-json.ts";

const CONNECTIONS = 32;
/** The share of the peak throughput. */
const SHARE = 0.5;
const TIMES_AS_LONG = 2;
const CLIENT_WARM_UP = 200;
/** A peer with less than this share of the warm-up needs tens of milliseconds per request, so it is measured with a tenth of the pairs. */
const SLOW = 0.05;
const SLOW_PAIRS = 0.1;

/** Measures the latency that each gateway adds to a direct call of the upstream, for a single request and under load. */
export async function latency(run: BenchRun): Promise<Scenario> {
  const mock = await startJsonMock();
  try {
    const parts = await withSystems(relays(run), jsonUpstream(mock), (entrants) => measureLatency(run, entrants, mock), run);
    return {
      id: "P4",
      title: "Peers: added latency",
      load: `The small JSON of P1: one request at a time, to the upstream itself and through the system in turn, ${PAIRS} pairs a round; and at half of the peak throughput, over ${CONNECTIONS} connections, due by the clock whether or not earlier ones were answered.`,
      parts,
      notes: [
        "One at a time, added latency is the difference within each pair. At half of the peak, it is a percentile through the system minus the same percentile of the direct call, at the same rate in the same visit.",
        "The peak is measured just before, with 16 connections that ask again when they are answered. nginx has the rate of the faster Tollgate, not half of its own peak, so that both are compared at the same rate. Peers have half of their own peak.",
        "At a constant rate, CPU per request is about twice the figure of P1, for nginx too: each request wakes the system by itself, whereas 16 connections that ask again are served several at a time. So half of the peak takes nearly all of one process's core, and requests queue.",
        ABOUT_PROCESSES,
      ],
    };
  } finally {
    await mock.stop();
  }
}

async function measureLatency(run: BenchRun, entrants: readonly Entrant[], mock: JsonMock): Promise<Part[]> {
  // Warmed up over many connections, so that every process of a system is warm.
  const able = await warmAll(entrants, run, (entrant) => warmUp(entrant, mock, SMALL_JSON, warmUpCount(run, entrant)));
  const alone = await measurePart(run, {
    name: "one request at a time",
    entrants: able,
    mockPid: mock.pid,
    work: (entrant) => onePair(run, entrant, mock),
    figures: [told("p50Us", "added latency p50", "µs"), told("p99Us", "added latency p99", "µs"), cpuPer("request")],
  });
  return [alone, await measureHalf(run, able, mock)];
}

function warmUpCount(run: BenchRun, { system }: Entrant): number {
  return Math.ceil(SMALL_JSON.warmUp * run.scale * (system.warmUpShare ?? 1));
}

function onePair(run: BenchRun, entrant: Entrant, mock: JsonMock): Promise<Work> {
  const isSlow = (entrant.system.warmUpShare ?? 1) < SLOW;
  return pairs(entrant, mock, Math.ceil(PAIRS * run.scale * (isSlow ? SLOW_PAIRS : 1)), isSlow ? 100 : undefined);
}

async function measureHalf(run: BenchRun, entrants: readonly Entrant[], mock: JsonMock): Promise<Part> {
  const peaks = new Map<string, number>();
  for (const { system, running } of entrants) {
    const most = await runWrk(running.target, { method: "POST", body: SMALL_JSON.body, connections: 16, seconds: run.seconds });
    peaks.set(system.name, most.requests / most.seconds);
  }
  const rates = ratesFor(peaks, SHARE, isTollgateName);
  return measurePart(run, {
    name: "half of the peak throughput",
    entrants,
    mockPid: mock.pid,
    rounds: MIN_SAMPLES,
    work: (entrant) => besideDirect(entrant, mock, rates.get(entrant.system.name)!, TIMES_AS_LONG * run.seconds),
    figures: [
      told("rate", "rate", "requests per second"),
      told("p50Us", "added latency p50", "µs"),
      told("p99Us", "added latency p99", "µs"),
      told("throughP99Us", "latency p99 through it", "µs"),
      told("directP99Us", "latency p99 of the direct call", "µs"),
      told("missed", "never sent", "requests"),
      cpuPer("request"),
      told("clientUs", "load client, per request", "µs"),
    ],
  });
}

interface RateResult extends ClientResult {
  readonly answered: number;
  readonly missed: number;
  readonly latencyUs: Samples;
}

/**
 * Measures the direct call and the system one after the other, at the same rate, because the speed of a machine varies from minute to
 * minute.
 */
async function besideDirect({ running }: Entrant, mock: JsonMock, rate: number, seconds: number): Promise<Work> {
  const ask = (target: Target) =>
    runProgram<RateResult>("open-loop", {
      target: { ...target, model: MODEL },
      rate,
      seconds,
      connections: CONNECTIONS,
      warmup: CLIENT_WARM_UP,
    });
  const direct = await ask(targetAt(mock.port));
  const through = await ask(running.target);
  const [before, after] = [direct.said.latencyUs, through.said.latencyUs];
  return {
    units: through.said.answered + CLIENT_WARM_UP,
    wrong: wrongIn(direct) + wrongIn(through),
    cpuUs: direct.cpuUs + through.cpuUs,
    figures: {
      rate,
      p50Us: after.p50 - before.p50,
      p99Us: after.p99 - before.p99,
      throughP99Us: after.p99,
      directP99Us: before.p99,
      missed: through.said.missed,
      clientUs: through.cpuUs / (through.said.answered + CLIENT_WARM_UP),
    },
  };
}
