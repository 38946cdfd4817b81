/** Measures what a gateway adds to the time to first token: see README.md. */
import { CannotMeasure, runProgram } from "./argument.ts";
import { Connection } from "./connection.ts";
import { Errors } from "./errors.ts";
import { Samples } from "./samples.ts";
import { StreamCheck } from "./stream-check.ts";
import { planOf } from "./stream-plan.ts";
import { streamRequest, type Target } from "./target.ts";

interface Options {
  readonly direct: Target;
  readonly target: Target;
  readonly pairs?: number;
  readonly concurrency?: number;
  readonly warmup?: number;
}

/** The starts of the clients are spread over this time, so that they are not synchronized. */
const STAGGER_MS = 500;

const errors = new Errors();
const [directUs, targetUs, addedUs] = [new Samples(), new Samples(), new Samples()];

/** Sends requests to one side, on a connection that is reopened when it was lost. */
class Side {
  readonly #target: Target;
  readonly #request: Buffer;
  #connection: Connection | undefined;

  constructor(target: Target) {
    if (!planOf(target.model)) throw new CannotMeasure(`${target.model} is not a stream.`);
    this.#target = target;
    this.#request = streamRequest(target);
  }

  /** Microseconds until the first text; null if the stream was incomplete. */
  async firstText(): Promise<number | null> {
    if (!this.#connection?.isOpen) this.#connection = await Connection.open(this.#target);
    const connection = this.#connection;
    return new Promise((resolve) => {
      let first = 0;
      const asked = Bun.nanoseconds();
      const check = new StreamCheck(this.#target.model, {
        onText: (index, at) => {
          if (index === 0) first = (at - asked) / 1000;
        },
        onOutcome: ({ problem }) => {
          if (problem !== null) errors.add(problem);
          resolve(problem === null ? first : null);
        },
      });
      connection.ask(this.#request, check);
    });
  }

  leave(): void {
    this.#connection?.leave();
  }
}

await runProgram<Options>(["direct", "target"], async ({ direct, target, pairs = 500, concurrency = 1, warmup = 20 }) => {
  let left = pairs + warmup;
  async function call(_: unknown, index: number): Promise<void> {
    const [straight, through] = [new Side(direct), new Side(target)];
    await Bun.sleep((index * STAGGER_MS) / concurrency);
    while (left > 0) {
      const isWarm = left-- <= pairs;
      const first = await straight.firstText();
      const second = await through.firstText();
      if (!isWarm || first === null || second === null) continue;
      directUs.add(first);
      targetUs.add(second);
      addedUs.add(second - first);
    }
    straight.leave();
    through.leave();
  }
  await Promise.all(Array.from({ length: concurrency }, call));
  const samples = { directUs: directUs.summary(), targetUs: targetUs.summary(), addedUs: addedUs.summary() };
  return { ...errors.verdict(), pairs: samples.addedUs?.count ?? 0, ...samples };
});
