import type { BackgroundTask } from "../async/background-task.ts";
import { isAtLeast, type LogLevel } from "./log-level.ts";
import { hideSecrets } from "../../http/hide-secrets.ts";
import type { Facts, LineFormat } from "./log-format.ts";

export interface Log {
  /** Whether lines of this level are written: whoever has to work for one asks first. */
  takes(level: LogLevel): boolean;
  write(facts: Facts): void;
  /**
   * Writes a line about something that does not change any more. What is to be said of it is only made out when the line is: with
   * the lines of many others that costs a fraction. The level must have been asked for before.
   */
  writeAbout<Subject>(subject: Subject, factsOf: (subject: Subject) => Facts): void;
  /** Puts out what is still held. Resolves when that is done, or when whoever should take it does not. */
  flush(): Promise<void>;
  /** How many lines were never put out. */
  readonly dropped: number;
  /** Making out the lines that are gathered: done for all of them together it would be waited for. */
  readonly chore: BackgroundTask;
}

/** Puts text out, one after the other. Resolves when it is out of our hands: true if it was taken, false if it is lost. */
export type Put = (text: string) => Promise<boolean>;

const GATHER_MS = 50;
/** What was lost once is likely to be lost again. */
const AFTER_LOSS_MS = 1000;
/** What an end of the process waits for. */
const LAST_WORDS_MS = 1000;
/** As many as are gathered in half a second when there is most to do. More than these are dropped. */
const MAX_HELD = 10_000;
/** So many are made out at a time, at most: it takes a few milliseconds, in which nothing else is done. */
const MAX_AT_ONCE = 1000;
const MAX_DETAIL = 2000;

/** A line that waits, or a place where some are missing. */
interface Held {
  readonly atMs: number;
  readonly facts: Facts | undefined;
  missing: number;
  /** The line, once it is made out. */
  text: string | undefined;
}

/** A line of which only the subject is held. */
class HeldSubject<Subject> implements Held {
  readonly atMs = Date.now();
  readonly missing = 0;
  text: string | undefined = undefined;
  readonly #subject: Subject;
  readonly #factsOf: (subject: Subject) => Facts;

  constructor(subject: Subject, factsOf: (subject: Subject) => Facts) {
    this.#subject = subject;
    this.#factsOf = factsOf;
  }

  /** Nobody is left to hear of a fault of ours but whoever reads the log, and the lines behind this one must not be lost by it. */
  get facts(): Facts {
    try {
      return cutDetail(this.#factsOf(this.#subject));
    } catch (error) {
      return cutDetail(factsOfFailure("a line could not be made out", error));
    }
  }
}

/**
 * A log of one line each. Lines are gathered for a moment, made out some at a time, and written together: done apart for each request, both
 * would be among the dearest parts of it. Nobody waits for whoever reads it: a pipe that is full holds one batch up, some lines wait
 * behind it, and the rest are dropped, counted, and told of in their place.
 */
export function createLog(put: Put, format: LineFormat, least: LogLevel = "info"): Log {
  return new GatheringLog(put, format, least);
}

/** Tells of a fault of ours that no caller hears of. */
export function logFailure(log: Log, message: string, thrown: unknown): void {
  log.write(factsOfFailure(message, thrown));
}

function factsOfFailure(message: string, thrown: unknown): Facts {
  const detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { level: "error", event: "internal_error", message, detail };
}

class GatheringLog implements Log, BackgroundTask {
  readonly #put: Put;
  readonly #format: LineFormat;
  readonly #least: LogLevel;
  #held: Held[] = [];
  /** How many of these, from the first on, are made out. */
  #madeOut = 0;
  #gap: Held | undefined;
  #dropped = 0;
  /** Something is on its way out, or will be in a moment. */
  #isBusy = false;
  /** It is on its way, or was lost: what comes now may be held for long. */
  #mayTakeLong = false;
  #last: Promise<boolean> = Promise.resolve(true);

  constructor(put: Put, format: LineFormat, least: LogLevel) {
    this.#put = put;
    this.#format = format;
    this.#least = least;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get chore(): BackgroundTask {
    return this;
  }

  /** None while something is on its way: what is made out takes more room than what it is made of. */
  get waiting(): number {
    return this.#mayTakeLong ? 0 : this.#held.length - this.#madeOut;
  }

  runSlice(lines: number): void {
    const until = Math.min(this.#madeOut + Math.min(lines, MAX_AT_ONCE), this.#held.length);
    for (let at = this.#madeOut; at < until; at++) this.#makeOut(this.#held[at]!);
    this.#madeOut = until;
  }

  takes(level: LogLevel): boolean {
    return isAtLeast(level, this.#least);
  }

  write(facts: Facts): void {
    if (this.takes(facts.level ?? "info")) this.#hold({ atMs: Date.now(), facts: cutDetail(facts), missing: 0, text: undefined });
  }

  writeAbout<Subject>(subject: Subject, factsOf: (subject: Subject) => Facts): void {
    // Facts are small. What they are about may not be, and is let go where it would have to be held.
    if (this.#mayTakeLong) this.write(factsOf(subject));
    else this.#hold(new HeldSubject(subject, factsOf));
  }

  #hold(line: Held): void {
    if (this.#held.length >= MAX_HELD) return this.#drop();
    this.#gap = undefined;
    this.#held.push(line);
    if (!this.#isBusy) this.#putAfter(GATHER_MS);
  }

  async flush(): Promise<void> {
    await Promise.race([this.#putAll(), Bun.sleep(LAST_WORDS_MS)]);
  }

  async #putAll(): Promise<void> {
    await this.#last;
    let isTaken = true;
    while (isTaken && this.#held.length > 0) isTaken = await this.#putBatch();
  }

  /** Puts out what has been gathered. While a batch is on its way the next ones are gathered behind it. */
  async #putSome(): Promise<void> {
    let isTaken = true;
    this.#mayTakeLong = true;
    do isTaken = await this.#putBatch();
    while (isTaken && this.#held.length >= MAX_AT_ONCE);
    this.#mayTakeLong = !isTaken;
    this.#isBusy = false;
    if (this.#held.length > 0) this.#putAfter(isTaken ? GATHER_MS : AFTER_LOSS_MS);
  }

  #putAfter(ms: number): void {
    this.#isBusy = true;
    setTimeout(() => void this.#putSome(), ms);
  }

  #putBatch(): Promise<boolean> {
    this.#last = this.#last.then(() => this.#putNext());
    return this.#last;
  }

  async #putNext(): Promise<boolean> {
    const batch = this.#held.splice(0, MAX_AT_ONCE);
    this.#madeOut = Math.max(0, this.#madeOut - batch.length);
    if (batch.length === 0) return true;
    const isTaken = await this.#put(batch.map((held) => this.#makeOut(held)).join(""));
    if (!isTaken) this.#noteLost(batch);
    return isTaken;
  }

  #makeOut(held: Held): string {
    held.text ??= hideSecrets(`${this.#format(new Date(held.atMs), held.facts ?? tellMissing(held.missing))}\n`);
    return held.text;
  }

  #drop(): void {
    this.#dropped++;
    if (this.#gap) Object.assign(this.#gap, { missing: this.#gap.missing + 1, text: undefined });
    else this.#held.push((this.#gap = { atMs: Date.now(), facts: undefined, missing: 1, text: undefined }));
  }

  /** What is lost is told of before what comes next. That some were missing before is lost with it, and counted already. */
  #noteLost(batch: readonly Held[]): void {
    const lines = batch.filter(({ facts }) => facts !== undefined).length;
    const missing = batch.reduce((sum, held) => sum + held.missing, lines);
    this.#dropped += lines;
    this.#held.unshift({ atMs: batch[0]!.atMs, facts: undefined, missing, text: undefined });
    this.#madeOut = 0;
  }
}

function tellMissing(count: number): Facts {
  const lines = count === 1 ? "1 line is missing here: it was" : `${count} lines are missing here: they were`;
  return { level: "warn", event: "log_dropped", message: `${lines} not taken in time by whatever reads this log`, dropped: count };
}

/** What went wrong may be told at any length, by others too; and many lines may have to be held. */
function cutDetail(facts: Facts): Facts {
  const { detail } = facts;
  return typeof detail === "string" && detail.length > MAX_DETAIL ? { ...facts, detail: `${detail.slice(0, MAX_DETAIL)}…` } : facts;
}
