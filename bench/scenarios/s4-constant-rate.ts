import type { BenchRun } from "../bench-run.ts";
import { wrongIn, type ClientResult, type Samples } from "../load/client-result.ts";
import { runProgram } from "../load/run-program.ts";
import { runWrk } from "../load/wrk.ts";
import { MODEL } from "../mock/answer.ts";
import { startJsonMock, type JsonMock } from "../mock/json-mock.ts";
import { measurePart, told } from "../protocol/measure-part.ts";
import type { Work } from "../protocol/visit.ts";
import { QUESTION } from "../question.ts";
import type { Part, Scenario } from "../report/result.ts";
import { withSystems, type Entrant } from "../systems/system.ts";
import { jsonUpstream, warmUp } from "./json-load.ts";

const CONNECTIONS = 32;
const WARM_UP = 20_000;
const SHARES = [20, 50, 80] as const;
/** Each rate has its own number of rounds. */
const ROUNDS = 5;
/** These rounds are longer by this factor, because p99.9 of one second is only one or two requests. */
const TIMES_AS_LONG = 2;

export async function constantRate(run: BenchRun): Promise<Scenario> {
  const mock = await startJsonMock();
  const systems = run.systems.filter(({ name }) => ["direct", "nginx", "tollgate"].includes(name));
  const parts = await withSystems(systems, jsonUpstream(mock), async (entrants) => {
    const body = JSON.stringify({ model: MODEL, messages: QUESTION, max_tokens: 100 });
    const load = { name: "warm-up", body, connections: CONNECTIONS, warmUp: WARM_UP };
    for (const entrant of entrants) await warmUp(entrant, mock, load, WARM_UP * run.scale);
    const { target } = entrants.find(({ system }) => system.name === "tollgate")!.running;
    const most = await runWrk(target, { method: "POST", body, connections: 16, seconds: run.seconds });
    return ratesOf(run, entrants, mock, most.requests / most.seconds);
  });
  await mock.stop();
  return {
    id: "S4",
    title: "Latency at a constant rate",
    load: `Requests at ${SHARES.join(", ")} % of the most that Tollgate took just before, due by the clock whether or not earlier ones were answered.`,
    parts,
    notes: [
      "Times count from when the client noticed that a request was due, whether or not a connection was free: what waits behind a slow answer shows.",
    ],
  };
}

async function ratesOf(run: BenchRun, entrants: readonly Entrant[], mock: JsonMock, most: number): Promise<Part[]> {
  const parts: Part[] = [];
  for (const share of SHARES) {
    const rate = Math.floor((most * share) / 100);
    const part = await measurePart(run, {
      name: `${share} % of the most`,
      entrants,
      mockPid: mock.pid,
      rounds: ROUNDS,
      work: (entrant) => atRate(entrant, rate, TIMES_AS_LONG * run.seconds),
      figures: [
        told("rate", "rate", "requests per second"),
        told("p50Us", "latency p50", "µs"),
        told("p99Us", "latency p99", "µs"),
        told("p999Us", "latency p99.9", "µs"),
        told("missed", "never sent", "requests"),
      ],
    });
    parts.push(part);
  }
  return parts;
}

interface RateResult extends ClientResult {
  readonly answered: number;
  readonly missed: number;
  readonly latencyUs: Samples;
}

async function atRate({ running }: Entrant, rate: number, seconds: number): Promise<Work> {
  const target = { ...running.target, model: MODEL };
  const ran = await runProgram<RateResult>("open-loop", { target, rate, seconds, connections: CONNECTIONS, warmup: 200 });
  const { answered, missed, latencyUs } = ran.said;
  const figures = { rate, p50Us: latencyUs.p50, p99Us: latencyUs.p99, p999Us: latencyUs.p999, missed };
  return { units: answered, wrong: wrongIn(ran), cpuUs: ran.cpuUs, figures };
}
