import { relays, type BenchRun } from "../bench-run.ts";
import { wrongIn, type ClientResult, type Samples } from "../load/client-result.ts";
import { runProgram } from "../load/run-program.ts";
import { startSseMock, type SseMock } from "../mock/sse-mock.ts";
import { measurePart, told } from "../protocol/measure-part.ts";
import type { Work } from "../protocol/visit.ts";
import type { Part, Scenario } from "../report/result.ts";
import { targetAt, warmAll, withSystems, type Entrant } from "../systems/system.ts";
import type { Certificate } from "../mock/json-mock.ts";

const MODEL = "sse-5-2";
const WARM_UP = 20_000;
const LOADS = [
  { name: "one at a time", concurrency: 1, pairs: 300 },
  { name: "100 at a time", concurrency: 100, pairs: 2000, rounds: 5 },
] as const;

export async function firstToken(run: BenchRun): Promise<Scenario> {
  return {
    id: "S6",
    title: "Added time to the first token",
    load: "Short streams, to the upstream itself and through the system in turn: the difference from the request to the first text, within each pair.",
    parts: await measureFirstToken(run),
    notes: [],
  };
}

/** Measures the time to first token. With a certificate, the upstream uses TLS. */
export async function measureFirstToken(run: BenchRun, tls?: Certificate): Promise<Part[]> {
  const mock = await startSseMock(tls);
  const parts = await withSystems(relays(run), { upstream: mock.upstream, models: { [MODEL]: MODEL } }, async (entrants) => {
    const able = await warmAll(entrants, run, (entrant) => pairs(entrant, mock, WARM_UP * run.scale, 20));
    const measured: Part[] = [];
    for (const load of tls ? LOADS.slice(0, 1) : LOADS) {
      const part = await measurePart(run, {
        name: tls ? `first token, ${load.name}` : load.name,
        entrants: able,
        mockPid: mock.pid,
        ...("rounds" in load && { rounds: load.rounds }),
        work: (entrant) => pairs(entrant, mock, load.pairs, load.concurrency),
        figures: [told("p50Us", "added time to first token p50", "µs"), told("p99Us", "added time to first token p99", "µs")],
      });
      measured.push(part);
    }
    return measured;
  });
  await mock.stop();
  return parts;
}

interface PairedResult extends ClientResult {
  readonly addedUs: Samples | null;
}

async function pairs({ running }: Entrant, mock: SseMock, count: number, concurrency: number): Promise<Work> {
  const target = { ...running.target, model: MODEL };
  const direct = { ...targetAt(mock.port), model: MODEL };
  const ran = await runProgram<PairedResult>("first-token", { direct, target, pairs: Math.ceil(count), concurrency, warmup: 20 });
  const { addedUs } = ran.said;
  if (!addedUs) throw new Error(`no pair of streams was whole: ${JSON.stringify(ran.said.errors)}`);
  return { units: count, wrong: wrongIn(ran), cpuUs: ran.cpuUs, figures: { p50Us: addedUs.p50, p99Us: addedUs.p99 } };
}
