import type { BenchRun } from "../bench-run.ts";
import { watchStreamBilling } from "../gate/billed-streams.ts";
import { countLoad } from "../load/count-load.ts";
import { runWrk } from "../load/wrk.ts";
import { startSseMock } from "../mock/sse-mock.ts";
import { cpuPer, measurePart, told } from "../protocol/measure-part.ts";
import type { Work } from "../protocol/visit.ts";
import { QUESTION } from "../question.ts";
import type { Scenario } from "../report/result.ts";
import { warmAll, withSystems, type Entrant } from "../systems/system.ts";

const MODEL = "burst-200";
const CONNECTIONS = 16;
const WARM_UP = 3000;

export async function bursts(run: BenchRun): Promise<Scenario> {
  const body = JSON.stringify({
    model: MODEL,
    messages: QUESTION,
    max_tokens: 1000,
    stream: true,
    stream_options: { include_usage: true },
  });
  const mock = await startSseMock();
  const wanted = { upstream: mock.upstream, models: { [MODEL]: MODEL } };
  const part = await withSystems(run.systems, wanted, async (entrants) => {
    const count = WARM_UP * run.scale;
    const able = await warmAll(entrants, run, async (entrant) => {
      const mustBeBilled = await watchStreamBilling(entrant, mock);
      await countLoad(entrant.running.target, { body, answer: null, count, connections: CONNECTIONS });
      await mustBeBilled();
    });
    return measurePart(run, {
      name: "200 chunks at once",
      entrants: able,
      mockPid: mock.pid,
      work: (entrant) => burstsTo(entrant, body, run.seconds),
      figures: [cpuPer("stream"), told("perSecond", "streams per second", ""), told("p99Us", "latency p99", "µs")],
    });
  });
  await mock.stop();
  return {
    id: "S5b",
    title: "Streams without pauses",
    load: `Streams of 200 chunks that the upstream sends all at once, over ${CONNECTIONS} connections. Chunks may be sent on together.`,
    parts: [part],
    notes: [],
  };
}

async function burstsTo({ running }: Entrant, body: string, seconds: number): Promise<Work> {
  const made = await runWrk(running.target, { method: "POST", body, connections: CONNECTIONS, seconds });
  return {
    units: made.requests,
    wrong: made.wrong,
    cpuUs: made.cpuUs,
    figures: { perSecond: made.requests / made.seconds, p99Us: made.p99Us },
  };
}
