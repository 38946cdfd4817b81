import type { Socket } from "bun";
import { planOf, usageOf, type StreamPlan } from "../stream-plan.ts";
import { TimerWheel } from "../timer-wheel.ts";
import { aborts, counters, countTokens } from "./counters.ts";
import { endStep, stepsOf, type Step } from "./stream-steps.ts";

const FINISHED_PER_MS = 2;

const wheel = new TimerWheel<OpenStream>((stream) => stream.onDue());
const openStreams = new Set<OpenStream>();

/** Ends every stream, a few at a time: no provider would end all at once. */
export function finishAll(): void {
  let at = 0;
  for (const stream of openStreams) stream.finishAt(wheel.now() + at++ / FINISHED_PER_MS);
}

/** A stream in flight: each chunk is written when it is due, as far as the client reads. */
export class OpenStream {
  readonly #socket: Socket<unknown>;
  readonly #plan: StreamPlan;
  readonly #withUsage: boolean;
  readonly #mark: number | undefined;
  #steps: readonly Step[];
  #at = 0;
  #allowed: number;
  #due: number;
  #texts = 0;
  #rest: Buffer | undefined;
  #isOpen = true;
  #isToFinish = false;

  constructor(socket: Socket<unknown>, model: string, withUsage: boolean, mark: number | undefined) {
    this.#socket = socket;
    this.#plan = planOf(model)!;
    this.#steps = stepsOf(model, withUsage)!;
    this.#withUsage = withUsage;
    this.#mark = mark;
    this.#allowed = this.#isPaced ? 1 : this.#steps.length;
    this.#due = wheel.now();
    counters.opened++;
    counters.open++;
    openStreams.add(this);
    this.pump();
    if (this.#isPaced) this.#wait();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get #isPaced(): boolean {
    return this.#plan.kind === "paced" || this.#plan.kind === "idle";
  }

  onDue(): void {
    if (!this.#isOpen) return;
    if (this.#isToFinish) return this.#finish();
    if (wheel.now() - this.#due >= this.#plan.intervalMs) counters.lateChunks++;
    this.#allowed++;
    this.pump();
    if (this.#allowed < this.#steps.length) this.#wait();
  }

  finishAt(due: number): void {
    this.#isToFinish = true;
    wheel.add(this, due);
  }

  /** The client has disconnected. */
  abort(): void {
    if (!this.#isOpen) return;
    this.#close();
    counters.aborted++;
    if (this.#mark !== undefined) aborts.push([this.#mark, performance.timeOrigin + performance.now()]);
  }

  /** Writes due chunks, until the socket accepts no more. */
  pump(): void {
    while (this.#rest !== undefined || this.#at < this.#allowed) {
      const bytes = this.#rest ?? this.#nextStep();
      const written = Math.max(0, this.#socket.write(bytes));
      this.#rest = written < bytes.length ? bytes.subarray(written) : undefined;
      if (this.#rest !== undefined) return;
    }
    if (this.#at === this.#steps.length) this.#complete();
  }

  #nextStep(): Buffer {
    const step = this.#steps[this.#at++]!;
    this.#texts += step.texts;
    counters.chunks += step.texts;
    return step.bytes;
  }

  /** By the schedule, not by the time of the last chunk, so that a delay does not add up. */
  #wait(): void {
    this.#due += this.#plan.intervalMs;
    wheel.add(this, this.#due);
  }

  #finish(): void {
    this.#steps = [endStep(this.#plan, this.#texts, this.#withUsage)];
    this.#at = 0;
    this.#allowed = 1;
    this.pump();
  }

  #complete(): void {
    this.#close();
    counters.finished++;
    countTokens(usageOf(this.#texts));
  }

  #close(): void {
    this.#isOpen = false;
    counters.open--;
    openStreams.delete(this);
  }
}
