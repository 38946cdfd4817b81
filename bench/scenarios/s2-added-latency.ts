import { relays, type BenchRun } from "../bench-run.ts";
import { wrongIn, type ClientResult, type Samples } from "../load/client-result.ts";
import { runProgram } from "../load/run-program.ts";
import { MODEL } from "../mock/answer.ts";
import { startJsonMock, type JsonMock } from "../mock/json-mock.ts";
import { cpuPer, measurePart, told } from "../protocol/measure-part.ts";
import type { Work } from "../protocol/visit.ts";
import type { Scenario } from "../report/result.ts";
import { targetAt, warmAll, withSystems, type Entrant } from "../systems/system.ts";
import { jsonUpstream } from "./json-load.ts";

export const PAIRS = 5000;
const WARM_UP = 40_000;
/** Each round has a new client process, whose code is compiled during its first requests. */
const CLIENT_WARM_UP = 2000;

export async function addedLatency(run: BenchRun): Promise<Scenario> {
  const mock = await startJsonMock();
  const part = await withSystems(relays(run), jsonUpstream(mock), async (entrants) => {
    const able = await warmAll(entrants, run, (entrant) => pairs(entrant, mock, WARM_UP * run.scale));
    return measurePart(run, {
      name: "one connection",
      entrants: able,
      mockPid: mock.pid,
      work: (entrant) => pairs(entrant, mock, PAIRS * run.scale),
      figures: [told("p50Us", "added latency p50", "µs"), told("p99Us", "added latency p99", "µs"), cpuPer("request")],
    });
  });
  await mock.stop();
  return {
    id: "S2",
    title: "Added latency",
    load: `One request at a time, to the upstream itself and through the system in turn, ${PAIRS} pairs a round: the difference within each pair.`,
    parts: [part],
    notes: [],
  };
}

interface PairedResult extends ClientResult {
  readonly addedUs: Samples;
}

/** One request at a time, alternately to the upstream itself and through the system. */
export async function pairs({ running }: Entrant, mock: JsonMock, count: number, warmup = CLIENT_WARM_UP): Promise<Work> {
  const target = { ...running.target, model: MODEL };
  const direct = { ...targetAt(mock.port), model: MODEL };
  const ran = await runProgram<PairedResult>("paired-latency", { direct, target, pairs: Math.ceil(count), warmup });
  const { addedUs } = ran.said;
  return { units: count + warmup, wrong: wrongIn(ran), cpuUs: ran.cpuUs, figures: { p50Us: addedUs.p50, p99Us: addedUs.p99 } };
}
