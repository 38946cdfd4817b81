import { relays, type BenchRun } from "../bench-run.ts";
import { GateFailure, must } from "../gate/must.ts";
import { startHoldingMock } from "../mock/holding-mock.ts";
import { QUESTION } from "../question.ts";
import { figureFrom, partFrom, type Sample } from "../report/samples.ts";
import type { Scenario } from "../report/result.ts";
import { isTollgateName, TOLLGATE, type RunningSystem, type System } from "../systems/system.ts";
import { statusesOf } from "./statuses.ts";

const MODEL = "m";
const REQUESTS = 200;
const AFFORDABLE = 10;
const TOKENS = 100;
/** Input is free, so that the price of a request is known before it is sent: a tenth of a cent. */
const PRICE = { input: 0, output: 10 };
const BUDGET = (AFFORDABLE * TOKENS * PRICE.output) / 1e6;
const TIMES = 3;
const LATER = 20;
/** Some gateways record the cost after the response. */
const RECORDED_MS = 3000;

/** The budget feature of each system. */
const BUDGETS: Readonly<Record<string, string>> = {
  bifrost: "the budget of a virtual key",
  litellm:
    "`max_budget` of a key that comes from custom authentication (stored keys need Postgres and a query engine that is downloaded from binaries.prisma.sh)",
};

/** Whether a budget holds against parallel requests. */
export async function overspend(run: BenchRun): Promise<Scenario> {
  const samples: Sample[] = [];
  const notes: string[] = [];
  for (const system of relays(run)) {
    if (system.noBudget) notes.push(`${system.name} has no part in it: ${system.noBudget}.`);
    if (!system.startWithBudget) continue;
    const rejections = new Set<string>();
    try {
      for (let time = 1; time <= TIMES; time++) {
        samples.push({ system: system.name, values: await spend(system, rejections) });
        run.reportProgress(`overspend: ${system.name}, ${time} of ${TIMES}`);
      }
      notes.push(`${system.name}: ${budgetOf(system)}. Statuses of rejected requests: ${[...rejections].join(", ") || "none"}.`);
    } catch (error) {
      if (system.name === TOLLGATE || error instanceof GateFailure) throw error;
      run.skipSystem(`${system.name} in P3: ${String(error).slice(0, 500)}`);
    }
  }
  return {
    id: "P3",
    title: "Peers: overspend",
    load: `${REQUESTS} parallel requests with a key whose budget pays for ${AFFORDABLE}. Each costs exactly $${BUDGET / AFFORDABLE}: ${TOKENS} tokens of output, which is also its \`max_tokens\`, and input is free. The upstream answers when no further request has arrived for 3 seconds, so that all requests are in flight at once. ${LATER} more requests follow one by one, ${RECORDED_MS / 1000} seconds later.`,
    parts: [
      partFrom("overspend", TIMES, samples, [
        figureFrom(samples, "admitted", "answered with 200", ""),
        figureFrom(samples, "upstream", "upstream calls", ""),
        figureFrom(samples, "rejected", "rejected", ""),
        figureFrom(samples, "spent", "spent, of the budget", "%"),
        figureFrom(samples, "later", `answered with 200 of the ${LATER} later ones`, ""),
      ]),
    ],
    notes,
  };
}

function budgetOf({ name }: System): string {
  return isTollgateName(name) ? "credit of an account" : BUDGETS[name]!;
}

function question(): object {
  return { model: MODEL, messages: QUESTION, max_tokens: TOKENS };
}

async function spend(system: System, rejections: Set<string>): Promise<Record<string, number>> {
  const mock = startHoldingMock(TOKENS);
  let running: RunningSystem | undefined;
  try {
    running = await system.startWithBudget!({ upstream: mock.upstream, models: { [MODEL]: MODEL }, price: PRICE }, BUDGET);
    const first = await statusesOf(running.target, REQUESTS, REQUESTS, question);
    const upstream = mock.calls;
    await Bun.sleep(RECORDED_MS);
    const later = await statusesOf(running.target, LATER, 1, question);
    for (const status of Object.keys({ ...first, ...later })) if (status !== "200") rejections.add(status);
    const admitted = first[200] ?? 0;
    if (isTollgateName(system.name))
      must(mock.calls <= AFFORDABLE, `${mock.calls} requests were sent upstream, and ${AFFORDABLE} paid for`);
    if (system.name === TOLLGATE) must(admitted === AFFORDABLE, `${admitted} of ${REQUESTS} were admitted`);
    return {
      admitted,
      upstream,
      rejected: REQUESTS - admitted,
      spent: (100 * mock.calls) / AFFORDABLE,
      later: later[200] ?? 0,
    };
  } finally {
    await running?.stop();
    await mock.stop();
  }
}
