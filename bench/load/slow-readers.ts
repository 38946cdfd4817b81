/** Measures the memory that a gateway buffers for slow readers: see README.md. */
import { CannotMeasure, runProgram } from "./argument.ts";
import { Connection, type Listener } from "./connection.ts";
import { Errors } from "./errors.ts";
import { occupiedBy } from "./occupied.ts";
import { within } from "./ramp.ts";
import { StreamCheck } from "./stream-check.ts";
import { planOf } from "./stream-plan.ts";
import { streamRequest, type Target } from "./target.ts";

interface Options {
  readonly target: Target;
  readonly readers?: number;
  readonly bytesPerSecond?: number;
  readonly seconds?: number;
  readonly pid: number;
}

const START_TIMEOUT_MS = 30_000;

/** Reads the available bytes, and then pauses for the time that they would take at its speed. */
class SlowReader implements Listener {
  bytes = 0;
  readonly #check: StreamCheck;
  readonly #connection: Connection;
  readonly #bytesPerSecond: number;
  readonly #start = Bun.nanoseconds();
  #timer: Timer | undefined;

  constructor(connection: Connection, model: string, bytesPerSecond: number) {
    this.#connection = connection;
    this.#bytesPerSecond = bytesPerSecond;
    this.#check = new StreamCheck(model, { onText: () => {}, onOutcome: () => {} });
  }

  /** The error in the bytes read so far. */
  get problem(): string | null {
    return this.#check.problem ?? (this.#check.texts === 0 ? "no text" : null);
  }

  get hasBegun(): boolean {
    return this.#check.texts > 0 || this.#check.problem !== null;
  }

  onHead(status: number): void {
    this.#check.onHead(status);
  }

  onBody(bytes: Buffer, at: number): void {
    this.bytes += bytes.length;
    this.#check.onBody(bytes, at);
    const due = (this.bytes / this.#bytesPerSecond) * 1000 - (at - this.#start) / 1e6;
    if (due <= 0 || this.#timer !== undefined) return;
    this.#connection.pause();
    this.#timer = setTimeout(() => this.#goOn(), due);
  }

  onEnd(): void {
    this.#check.onEnd();
  }

  onLost(why: string): void {
    this.#check.onLost(why);
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#connection.leave();
  }

  #goOn(): void {
    this.#timer = undefined;
    this.#connection.resume();
  }
}

await runProgram<Options>(["target", "pid"], async ({ target, readers: count = 100, bytesPerSecond = 1024, seconds = 10, pid }) => {
  if (planOf(target.model)?.kind !== "big") throw new CannotMeasure(`${target.model} is not a big stream.`);
  const errors = new Errors();
  const before = occupiedBy(pid);
  const max = { ...before };
  const weighing = setInterval(() => {
    const now = occupiedBy(pid);
    max.rssKb = Math.max(max.rssKb, now.rssKb);
    max.fds = Math.max(max.fds, now.fds);
  }, 50);
  const readers = await Promise.all(
    Array.from({ length: count }, async () => {
      const connection = await Connection.open(target);
      const reader = new SlowReader(connection, target.model, bytesPerSecond);
      connection.ask(streamRequest(target), reader);
      return reader;
    }),
  );
  await within(START_TIMEOUT_MS, () => readers.every(({ hasBegun }) => hasBegun));
  await Bun.sleep(seconds * 1000);
  clearInterval(weighing);
  for (const { problem } of readers) if (problem !== null) errors.add(problem);
  for (const reader of readers) reader.leave();
  await Bun.sleep(1000);
  const after = occupiedBy(pid);
  return {
    ...errors.verdict(),
    readers: count,
    bytes: readers.reduce((sum, { bytes }) => sum + bytes, 0),
    rssKb: { before: before.rssKb, max: max.rssKb, after: after.rssKb },
    fds: { before: before.fds, max: max.fds, after: after.fds },
  };
});
