/** Sends requests at a constant rate, whether or not earlier ones were answered (open loop): see README.md. */
import { CannotMeasure, runProgram } from "./argument.ts";
import { askJson, WholeAnswer } from "./ask-json.ts";
import { Connection } from "./connection.ts";
import { Errors } from "./errors.ts";
import { compareAnswers } from "./same-answer.ts";
import { Samples } from "./samples.ts";
import { jsonRequest, type Target } from "./target.ts";

interface Options {
  readonly target: Target;
  readonly rate: number;
  readonly seconds?: number;
  readonly connections?: number;
  readonly warmup?: number;
}

/** How long to wait for responses after the last request. */
const TIMEOUT_MS = 30_000;

class OpenLoop {
  readonly errors = new Errors();
  readonly latency = new Samples();
  readonly timer = new Samples();
  readonly counts = { sent: 0, answered: 0, waited: 0, missed: 0 };
  readonly #target: Target;
  readonly #request: Buffer;
  readonly #original: Buffer;
  readonly #free: Connection[];
  readonly #intervalNs: number;
  readonly #total: number;
  readonly #start = Bun.nanoseconds();
  readonly #over = Promise.withResolvers<void>();
  /** Due requests without a free connection, by the time when they were due. */
  readonly #waiting: number[] = [];
  #due = 0;
  #underWay = 0;

  constructor(target: Target, original: Buffer, connections: Connection[], rate: number, total: number) {
    this.#target = target;
    this.#request = jsonRequest(target);
    this.#original = original;
    this.#free = connections;
    this.#intervalNs = 1e9 / rate;
    this.#total = total;
  }

  async run(): Promise<void> {
    const ticks = setInterval(() => this.#sendDue(), 1);
    const givenUp = setTimeout(() => this.#over.resolve(), (this.#total * this.#intervalNs) / 1e6 + TIMEOUT_MS);
    await this.#over.promise;
    clearInterval(ticks);
    clearTimeout(givenUp);
    this.#countMissed();
    for (const connection of this.#free) connection.leave();
  }

  /** At every tick and after every response: a coarse timer would send in bursts. */
  #sendDue(): void {
    const now = Bun.nanoseconds();
    while (this.#due < this.#total && this.#start + this.#due * this.#intervalNs <= now) {
      this.timer.add((now - this.#start - this.#due * this.#intervalNs) / 1000);
      this.#due++;
      const connection = this.#free.pop();
      if (connection) this.#send(connection, now);
      else this.#wait(now);
    }
  }

  #wait(due: number): void {
    this.#waiting.push(due);
    this.counts.waited++;
  }

  #send(connection: Connection, due: number): void {
    this.counts.sent++;
    this.#underWay++;
    const answer = new WholeAnswer(
      (status, body) => this.#onAnswer(connection, due, status, body),
      (error) => void this.#onLost(error),
    );
    connection.ask(this.#request, answer);
  }

  #onAnswer(connection: Connection, due: number, status: number, body: Buffer): void {
    this.latency.add((Bun.nanoseconds() - due) / 1000);
    this.counts.answered++;
    if (status !== 200) this.errors.add(`status ${status}`);
    else if (compareAnswers(body, this.#original) === "wrong") this.errors.add("a wrong answer");
    this.#onFree(connection);
  }

  async #onLost(error: Error): Promise<void> {
    this.errors.add(error.message);
    try {
      this.#onFree(await Connection.open(this.#target));
    } catch {
      this.errors.add("no new connection");
    }
  }

  #onFree(connection: Connection): void {
    this.#underWay--;
    const due = this.#waiting.shift();
    if (due === undefined) this.#free.push(connection);
    else this.#send(connection, due);
    this.#sendDue();
    if (this.#due === this.#total && this.#underWay === 0) this.#over.resolve();
  }

  /** A request that could not be sent took at least as long as the wait for it. */
  #countMissed(): void {
    const now = Bun.nanoseconds();
    for (const due of this.#waiting) this.latency.add((now - due) / 1000);
    this.counts.missed = this.#waiting.length;
    for (let unanswered = this.#underWay; unanswered > 0; unanswered--) this.errors.add("no answer in time");
  }
}

await runProgram<Options>(["target", "rate"], async ({ target, rate, seconds = 5, connections = 32, warmup = 200 }) => {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(target)));
  const request = jsonRequest(target);
  const original = await askJson(open[0]!, request);
  if (original.status !== 200) throw new CannotMeasure(`The first answer has status ${original.status}.`);
  for (let at = 0; at < warmup; at++) await askJson(open[at % connections]!, request);
  const loop = new OpenLoop(target, original.body, open, rate, Math.round(rate * seconds));
  await loop.run();
  return { ...loop.errors.verdict(), rate, ...loop.counts, latencyUs: loop.latency.summary(), timerUs: loop.timer.summary() };
});
