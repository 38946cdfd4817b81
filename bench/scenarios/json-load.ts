import type { BenchRun } from "../bench-run.ts";
import { billedBy, billedOnceThere, mustBeBilled, mustBeBilledBetween } from "../gate/billed.ts";
import { GateFailure, must } from "../gate/must.ts";
import { countLoad } from "../load/count-load.ts";
import { runWrk } from "../load/wrk.ts";
import { answerAs, MODEL, UPSTREAM_MODEL } from "../mock/answer.ts";
import { startJsonMock, type JsonMock } from "../mock/json-mock.ts";
import { cpuPer, measurePart, MEMORY, told, type FigureOfVisit } from "../protocol/measure-part.ts";
import type { Visit, Work } from "../protocol/visit.ts";
import type { Part } from "../report/result.ts";
import { warmAll, withSystems, type Entrant, type System } from "../systems/system.ts";
import { isTollgate } from "../systems/tollgate.ts";

/** The figures of a JSON scenario. */
export const JSON_FIGURES: readonly FigureOfVisit[] = [
  cpuPer("request"),
  told("perSecond", "requests per second", ""),
  told("p50Us", "latency p50", "µs"),
  told("p99Us", "latency p99", "µs"),
  MEMORY,
];

export interface JsonLoad {
  readonly name: string;
  readonly body: string;
  readonly connections: number;
  /** The number of warm-up requests of each system. */
  readonly warmUp: number;
  /** Figures in addition to the usual ones. */
  readonly figures?: readonly FigureOfVisit[];
}

/** Measures rounds of the same JSON request to every system. All responses of the warm-up are compared, and all charges are added up. */
export async function measureJson(run: BenchRun, load: JsonLoad): Promise<Part> {
  const mock = await startJsonMock();
  try {
    return await withSystems(run.systems, jsonUpstream(mock), (entrants) => measureJsonOf(run, load, entrants, mock), run);
  } finally {
    await mock.stop();
  }
}

export function jsonUpstream(mock: JsonMock) {
  return { upstream: mock.upstream, models: { [MODEL]: UPSTREAM_MODEL } };
}

export async function measureJsonOf(run: BenchRun, load: JsonLoad, entrants: readonly Entrant[], mock: JsonMock): Promise<Part> {
  const able = await warmAll(entrants, run, (entrant) =>
    warmUp(entrant, mock, load, Math.ceil(load.warmUp * run.scale * (entrant.system.warmUpShare ?? 1))),
  );
  return measurePart(run, {
    name: load.name,
    entrants: able,
    mockPid: mock.pid,
    work: (entrant) => jsonWork(run, load, entrant),
    watch: (entrant) => watchBilling(entrant, mock),
    figures: [...JSON_FIGURES, ...(load.figures ?? [])],
  });
}

export function answerOf(system: System): string {
  return answerAs(system.renames ? MODEL : UPSTREAM_MODEL);
}

/**
 * Sends exactly this many requests and compares every response. For Tollgate, every response must be charged once, with the tokens that the
 * upstream reported.
 */
export async function warmUp(entrant: Entrant, mock: JsonMock, { body, connections }: JsonLoad, count: number): Promise<void> {
  const { system, running } = entrant;
  const compare = system.reserializes ? "meaning" : "bytes";
  const load = (): Promise<void> => countLoad(running.target, { body, answer: answerOf(system), compare, count, connections });
  if (!isTollgate(running)) return load();
  const [before, askedBefore] = [await billedBy(running), await mock.requests()];
  await load().catch((error: unknown) => {
    throw new GateFailure(String(error));
  });
  const asked = (await mock.requests()) - askedBefore;
  must(asked === count, `${count} requests became ${asked} at the upstream`);
  mustBeBilled(before, await billedOnceThere(running, before, count), count);
}

export async function jsonWork(run: BenchRun, { body, connections }: JsonLoad, { running }: Entrant): Promise<Work> {
  const made = await runWrk(running.target, { method: "POST", body, connections, seconds: run.seconds });
  const { requests, seconds, wrong, p50Us, p99Us, cpuUs } = made;
  return { units: requests, wrong, cpuUs, figures: { perSecond: requests / seconds, p50Us, p99Us } };
}

/**
 * The number of charged requests of a visit is between the responses that clients have seen and the requests that the upstream has
 * received.
 */
export async function watchBilling({ running }: Entrant, mock: JsonMock): Promise<(made: Visit) => Promise<void>> {
  if (!isTollgate(running)) return async () => {};
  const [before, askedBefore] = [await billedBy(running), await mock.requests()];
  return async ({ units }) => {
    const billed = await billedOnceThere(running, before, units);
    mustBeBilledBetween(before, billed, units, (await mock.requests()) - askedBefore);
  };
}
