import type { BenchRun } from "../bench-run.ts";
import { billedBy, GateFailure, mustBeBilled, mustBeBilledBetween } from "../gate/billed.ts";
import { countLoad } from "../load/count-load.ts";
import { runWrk } from "../load/wrk.ts";
import { answerAs, MODEL, UPSTREAM_MODEL } from "../mock/answer.ts";
import { startJsonMock, type JsonMock } from "../mock/json-mock.ts";
import { takeRounds } from "../protocol/take-rounds.ts";
import { visit, type Visit } from "../protocol/visit.ts";
import { figureOf } from "../report/figures.ts";
import type { Part } from "../report/result.ts";
import type { RunningSystem, System } from "../systems/system.ts";
import type { RunningTollgate } from "../systems/tollgate.ts";

export interface JsonLoad {
  readonly name: string;
  readonly body: string;
  readonly connections: number;
  /** How many requests each system has had before anything is measured. */
  readonly warmUp: number;
}

interface Entrant {
  readonly system: System;
  readonly running: RunningSystem;
}

/** Rounds of the same JSON request to every system. All answers of the warm-up are compared, and all that is billed is added up. */
export async function measureJson(run: BenchRun, load: JsonLoad): Promise<Part> {
  const mock = await startJsonMock();
  const entrants: Entrant[] = [];
  try {
    for (const system of run.systems) {
      const running = await system.start({ upstream: { url: mock.upstream }, models: { [MODEL]: UPSTREAM_MODEL } });
      entrants.push({ system, running });
    }
    for (const entrant of entrants) {
      run.tell(`${load.name}: warming ${entrant.system.name} up`);
      await warmUp(entrant, mock, load, Math.ceil(load.warmUp * run.scale));
    }
    return await takeJsonRounds(run, load, entrants, mock);
  } finally {
    for (const { running } of entrants) await running.stop();
    await mock.stop();
  }
}

async function warmUp({ system, running }: Entrant, mock: JsonMock, { body, connections }: JsonLoad, count: number): Promise<void> {
  const answer = answerAs(system.renames ? MODEL : UPSTREAM_MODEL);
  const load = (): Promise<void> => countLoad(running.target, { body, answer, count, connections });
  if (!isTollgate(running)) return load();
  const [before, askedBefore] = [await billedBy(running), await mock.requests()];
  await load().catch((error: unknown) => {
    throw new GateFailure(String(error));
  });
  const asked = (await mock.requests()) - askedBefore;
  if (asked !== count) throw new GateFailure(`${count} requests became ${asked} at the upstream`);
  mustBeBilled(before, await billedBy(running), count);
}

async function takeJsonRounds(run: BenchRun, load: JsonLoad, entrants: readonly Entrant[], mock: JsonMock): Promise<Part> {
  const rounds = await takeRounds({
    systems: entrants.map(({ system }) => system.name),
    reference: "nginx",
    wanted: run.rounds,
    noise: run.noise,
    visit: (name) => visitOnce(run, load, entrants.find(({ system }) => system.name === name)!.running, mock),
    tell: (text) => run.tell(`${load.name}: ${text}`),
  });
  const cpu = { id: "cpu", name: "CPU per request", unit: "µs" };
  return {
    name: load.name,
    figures: [
      figureOf(rounds.valid, cpu, ({ cpuUs }) => cpuUs),
      figureOf(rounds.valid, { id: "rate", name: "requests per second", unit: "" }, ({ figures }) => figures["perSecond"]),
      figureOf(rounds.valid, { id: "p50", name: "p50", unit: "µs" }, ({ figures }) => figures["p50Us"]),
      figureOf(rounds.valid, { id: "p99", name: "p99", unit: "µs" }, ({ figures }) => figures["p99Us"]),
      figureOf(rounds.valid, { id: "rss", name: "memory", unit: "MiB" }, ({ rssMib }) => rssMib),
    ],
    voided: rounds.void.map(({ reason }) => reason),
    wanted: run.rounds,
    rounds: rounds.valid,
  };
}

async function visitOnce(run: BenchRun, load: JsonLoad, running: RunningSystem, mock: JsonMock): Promise<Visit> {
  const gateway = isTollgate(running) ? running : null;
  const [before, askedBefore] = [gateway && (await billedBy(gateway)), await mock.requests()];
  const made = await visit(running, mock.pid, async () => {
    const { requests, seconds, wrong, p50Us, p99Us, cpuUs } = await runWrk(running.target, {
      method: "POST",
      body: load.body,
      connections: load.connections,
      seconds: run.seconds,
    });
    return { units: requests, wrong, cpuUs, figures: { perSecond: requests / seconds, p50Us, p99Us } };
  });
  if (gateway) mustBeBilledBetween(before!, await billedBy(gateway), made.units, (await mock.requests()) - askedBefore);
  return made;
}

function isTollgate(running: RunningSystem): running is RunningTollgate {
  return running.name === "tollgate";
}
