import { join } from "node:path";
import { addManyKeys } from "../../test/support/gateway/many-keys.ts";
import type { BenchRun } from "../bench-run.ts";
import { mustBeRight } from "../gate/right-answers.ts";
import { countLoad } from "../load/count-load.ts";
import { runWrk } from "../load/wrk.ts";
import type { SseMock } from "../mock/sse-mock.ts";
import { shuffled } from "../protocol/shuffled.ts";
import { visit } from "../protocol/visit.ts";
import { QUESTION } from "../question.ts";
import { figureFrom, partFrom, type Sample } from "../report/samples.ts";
import type { Part } from "../report/result.ts";
import { tollgate, type RunningTollgate } from "../systems/tollgate.ts";

const MODEL = "m";
const KEYS = 100_000;
/** The number of keys that send requests, in turn. */
const CALLING = 1000;
const CONNECTIONS = 16;
const WARM_UP = 40_000;
const TIMES = 5;
const BODY = JSON.stringify({ model: MODEL, messages: QUESTION, max_tokens: 100 });

interface KeyedGateway {
  readonly name: string;
  readonly gateway: RunningTollgate;
  readonly keys: readonly string[];
}

/** Compares a gateway that has very many keys, many of them in use, with a gateway that has a single key. */
export async function manyKeys(run: BenchRun, mock: SseMock): Promise<Part> {
  const one = await tollgate.start({ upstream: mock.upstream, models: { [MODEL]: MODEL } });
  const many = await withManyKeys(mock);
  const all: KeyedGateway[] = [
    { name: "1 key", gateway: one, keys: await keysOf(one, 1) },
    {
      name: `${KEYS.toLocaleString("en-US")} keys, ${CALLING.toLocaleString("en-US")} calling`,
      gateway: many,
      keys: await keysOf(many, CALLING),
    },
  ];
  const count = WARM_UP * run.scale;
  for (const { gateway } of all) await countLoad(gateway.target, { body: BODY, answer: null, count, connections: CONNECTIONS });
  const samples: Sample[] = [];
  for (let time = 1; time <= TIMES; time++) {
    for (const keyed of shuffled(all)) samples.push(await costOf(keyed, mock, run.seconds));
    run.reportProgress(`many keys: ${time} of ${TIMES}`);
  }
  for (const { gateway } of all) await gateway.stop();
  return partFrom("keys", TIMES, samples, [
    figureFrom(samples, "cpu", "CPU per request", "µs"),
    figureFrom(samples, "rss", "memory", "MiB"),
  ]);
}

async function withManyKeys(mock: SseMock): Promise<RunningTollgate> {
  const wanted = { upstream: mock.upstream, models: { [MODEL]: MODEL } };
  const first = await tollgate.start(wanted);
  await first.crash();
  addManyKeys(join(first.folder, "data", "tollgate.db"), KEYS);
  return tollgate.start(wanted, { folder: first.folder });
}

async function keysOf(gateway: RunningTollgate, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let left = count; left > 0; left--) keys.push((await gateway.makeKey()).key);
  return keys;
}

/** Both gateways use the key list of wrk, even the one with a single key, so that wrk does the same work. */
async function costOf({ name, gateway, keys }: KeyedGateway, mock: SseMock, seconds: number): Promise<Sample> {
  const made = await visit(gateway, mock.pid, async () => {
    const { requests, wrong, cpuUs } = await runWrk(gateway.target, {
      method: "POST",
      body: BODY,
      keys,
      connections: CONNECTIONS,
      seconds,
    });
    return { units: requests, wrong, cpuUs, figures: {} };
  });
  mustBeRight(gateway, made.wrong, `with ${name}`);
  return { system: name, values: { cpu: made.cpuUs!, rss: made.rssMib! } };
}
