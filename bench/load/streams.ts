/** Runs many streams at once, and compares each with the bytes that the upstream sent: see README.md. */
import { CannotMeasure, runProgram } from "./argument.ts";
import { Connection } from "./connection.ts";
import { Errors } from "./errors.ts";
import { Samples } from "./samples.ts";
import { StreamCheck, type StreamOutcome } from "./stream-check.ts";
import { planOf, type StreamPlan } from "./stream-plan.ts";
import { streamRequest, type Target } from "./target.ts";

interface Options {
  readonly target: Target;
  readonly streams: number;
  readonly repeats?: number;
  readonly staggerMs?: number;
}

const totals = { streams: 0, whole: 0, identical: 0, chunks: 0, events: 0, comments: 0, changedEvents: 0, coalesced: 0 };
const errors = new Errors();
const gaps = new Samples();
const lateness = new Samples();
const firsts = new Samples();

/** The delays of the texts of a stream, compared with their schedule. */
class Pace {
  readonly #intervalNs: number;
  readonly #asked = Bun.nanoseconds();
  #first = 0;
  #last = 0;

  constructor(plan: StreamPlan) {
    this.#intervalNs = plan.intervalMs * 1e6;
  }

  onText(index: number, at: number): void {
    if (index === 0) {
      this.#first = at;
      firsts.add((at - this.#asked) / 1000);
    } else {
      if (at === this.#last) totals.coalesced++;
      gaps.add((at - this.#last - this.#intervalNs) / 1000);
      lateness.add((at - this.#first - index * this.#intervalNs) / 1000);
    }
    this.#last = at;
  }
}

function count(outcome: StreamOutcome): void {
  totals.streams++;
  if (outcome.problem === null) totals.whole++;
  else errors.add(outcome.problem);
  if (outcome.isIdentical) totals.identical++;
  totals.chunks += outcome.texts;
  totals.events += outcome.events;
  totals.comments += outcome.comments;
  totals.changedEvents += outcome.changedEvents;
}

function readStream(connection: Connection, request: Buffer, model: string, plan: StreamPlan): Promise<void> {
  return new Promise((resolve) => {
    const pace = new Pace(plan);
    const check = new StreamCheck(model, {
      onText: (index, at) => pace.onText(index, at),
      onOutcome: (outcome) => {
        count(outcome);
        resolve();
      },
    });
    connection.ask(request, check);
  });
}

await runProgram<Options>(["target", "streams"], async ({ target, streams, repeats = 1, staggerMs = 1000 }) => {
  const plan = planOf(target.model);
  if (!plan || plan.kind === "idle") throw new CannotMeasure(`${target.model} is not a stream that ends by itself.`);
  const request = streamRequest(target);
  const callers = Array.from({ length: streams }, async (_, index) => {
    await Bun.sleep((index * staggerMs) / streams);
    let connection = await Connection.open(target);
    for (let left = repeats; left > 0; left--) {
      if (!connection.isOpen) connection = await Connection.open(target);
      await readStream(connection, request, target.model, plan);
    }
    connection.leave();
  });
  await Promise.all(callers);
  return {
    ...errors.verdict(),
    ...totals,
    gapUs: gaps.summary(),
    lateUs: lateness.summary(),
    firstUs: firsts.summary(),
  };
});
