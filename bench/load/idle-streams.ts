/** Measures the memory of an idle stream: see README.md. */
import { CannotMeasure, runProgram } from "./argument.ts";
import { Connection } from "./connection.ts";
import { Errors } from "./errors.ts";
import { measurePairs, type PairOptions } from "./measure-pairs.ts";
import { occupiedBy } from "./occupied.ts";
import { ramp, within } from "./ramp.ts";
import { StreamCheck } from "./stream-check.ts";
import { planOf } from "./stream-plan.ts";
import { streamRequest, type Target } from "./target.ts";

interface Options {
  readonly target: Target;
  readonly streams: number;
  readonly perSecond?: number;
  readonly holdSeconds?: number;
  readonly pid: number;
  /** The base URL of the mock, to make it finish the streams. */
  readonly mock: string;
  readonly latency?: PairOptions;
}

/** How long streams may take to start after the last one was opened, or to end after they were finished. */
const TIMEOUT_MS = 30_000;

/** The streams and their states. */
class IdleStreams {
  readonly errors = new Errors();
  begun = 0;
  ended = 0;
  whole = 0;

  readonly #target: Target;
  readonly #request: Buffer;
  readonly #connections: Connection[] = [];

  constructor(target: Target) {
    this.#target = target;
    this.#request = streamRequest(target);
  }

  async open(): Promise<void> {
    const check = new StreamCheck(this.#target.model, {
      onText: (index) => {
        if (index === 0) this.begun++;
      },
      onOutcome: ({ problem }) => this.#end(problem),
    });
    try {
      const connection = await Connection.open(this.#target);
      this.#connections.push(connection);
      connection.ask(this.#request, check);
    } catch {
      this.#end("no connection");
    }
  }

  leave(): void {
    for (const connection of this.#connections) connection.leave();
  }

  #end(problem: string | null): void {
    this.ended++;
    if (problem === null) this.whole++;
    else this.errors.add(problem);
  }
}

async function finish(mock: string): Promise<void> {
  const answer = await fetch(`${mock}/finish`, { method: "POST" });
  if (!answer.ok) throw new CannotMeasure(`The mock does not finish its streams: ${answer.status}`);
}

await runProgram<Options>(["target", "streams", "pid", "mock"], async (options) => {
  const { target, streams, perSecond = 500, holdSeconds = 20, pid, mock, latency } = options;
  if (planOf(target.model)?.kind !== "idle") throw new CannotMeasure(`${target.model} is not an idle stream.`);
  const idle = new IdleStreams(target);
  const before = occupiedBy(pid);
  await ramp(streams, perSecond, () => void idle.open());
  await within(TIMEOUT_MS, () => idle.begun + idle.ended >= streams);
  const heldFrom = Date.now();
  const pairs = latency && (await measurePairs(latency));
  await Bun.sleep(Math.max(0, heldFrom + holdSeconds * 1000 - Date.now()));
  const lostWhileHeld = idle.ended;
  const held = occupiedBy(pid);
  const clientFds = occupiedBy(process.pid).fds;
  await finish(mock);
  if (!(await within(TIMEOUT_MS + streams, () => idle.ended >= streams))) idle.errors.add("streams that did not end");
  idle.leave();
  await Bun.sleep(1000);
  const after = occupiedBy(pid);
  return {
    ...idle.errors.verdict(),
    streams,
    whole: idle.whole,
    lostWhileHeld,
    rssKb: { before: before.rssKb, held: held.rssKb, after: after.rssKb },
    fds: { before: before.fds, held: held.fds, after: after.fds },
    clientFds,
    latency: pairs ?? null,
  };
});
