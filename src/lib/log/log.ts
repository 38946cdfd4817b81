import type { BackgroundTask } from "../async/background-task.ts";
import { isAtLeast, type LogLevel } from "./log-level.ts";
import type { LineFormat, LogFields } from "./log-format.ts";

export interface Log {
  /** Whether lines of this level are written. Check it before building an expensive line. */
  isEnabled(level: LogLevel): boolean;
  write(fields: LogFields): void;
  /**
   * Writes a line about a subject that no longer changes. The fields of the line are built later, in the background. Check the level first.
   */
  writeLazily<Subject>(subject: Subject, fieldsOf: (subject: Subject) => LogFields): void;
  /** Writes all queued lines. Resolves when they are written, or after a second if the output does not accept them. */
  flush(): Promise<void>;
  /** The number of lines lost so far. */
  readonly dropped: number;
  /** Formats queued lines in slices, so that a full batch does not block requests. */
  readonly backgroundTask: BackgroundTask;
}

/** Writes text to an output, in order. Resolves to true when the text was written, to false when it is lost. */
export type TextOutput = (text: string) => Promise<boolean>;

/** The output of a log, which other processes also write to. */
export interface LogSink {
  readonly output: TextOutput;
  readonly format: "json" | "text";
}

interface LogOptions {
  readonly output: TextOutput;
  readonly format: LineFormat;
  /** Removes secrets from a formatted line. Every line passes through it. */
  readonly redact: (line: string) => string;
  /** The lowest level that is written; `info` by default. */
  readonly level?: LogLevel | undefined;
}

const BATCH_MS = 50;
/** Delay after a lost batch: the next batch is likely to be lost as well. */
const RETRY_MS = 1000;
/** How long `flush` waits at shutdown. */
const FLUSH_TIMEOUT_MS = 1000;
/** About half a second of lines at peak load. Further lines are dropped. */
const MAX_QUEUED = 10_000;
/** The most lines formatted at once: it blocks the event loop for a few milliseconds. */
const MAX_BATCH = 1000;
const MAX_DETAIL = 2000;

/** A queued line, or a marker for lines that were dropped at this position. */
interface QueuedLine {
  readonly atMs: number;
  readonly fields: LogFields | undefined;
  missing: number;
  /** The line, once it is formatted. */
  text: string | undefined;
}

/** A queued line whose fields are not built yet: only its subject is stored. */
class QueuedSubject<Subject> implements QueuedLine {
  readonly atMs = Date.now();
  readonly missing = 0;
  text: string | undefined = undefined;
  readonly #subject: Subject;
  readonly #fieldsOf: (subject: Subject) => LogFields;

  constructor(subject: Subject, fieldsOf: (subject: Subject) => LogFields) {
    this.#subject = subject;
    this.#fieldsOf = fieldsOf;
  }

  /** A bug in `fieldsOf` is logged as a line, and must not lose the lines after this one. */
  get fields(): LogFields {
    try {
      return truncateDetail(this.#fieldsOf(this.#subject));
    } catch (error) {
      return truncateDetail(fieldsOfFailure("a log line could not be built", error));
    }
  }
}

/**
 * A log of single lines. Lines are queued for 50 ms, formatted in slices and written in batches, so that requests do not each pay for
 * formatting and writing. No request waits for the reader of the log: a full pipe blocks one batch, up to `MAX_QUEUED` lines wait behind
 * it, and further lines are dropped and counted. A line reports the count in their place.
 */
export function createLog(options: LogOptions): Log {
  return new BatchingLog(options);
}

/** Logs an internal failure that no caller receives. */
export function logFailure(log: Log, message: string, thrown: unknown): void {
  log.write(fieldsOfFailure(message, thrown));
}

function fieldsOfFailure(message: string, thrown: unknown): LogFields {
  const detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { level: "error", event: "internal_error", message, detail };
}

class BatchingLog implements Log, BackgroundTask {
  readonly #output: TextOutput;
  readonly #format: LineFormat;
  readonly #redact: (line: string) => string;
  readonly #level: LogLevel;
  #queue: QueuedLine[] = [];
  /** The number of lines at the front of the queue that are formatted. */
  #formatted = 0;
  #gap: QueuedLine | undefined;
  #dropped = 0;
  /** Whether a batch is being written, or is scheduled. */
  #isBusy = false;
  /** Whether a batch is being written, or the last batch was lost, so that lines may stay queued for long. */
  #isStalled = false;
  #last: Promise<boolean> = Promise.resolve(true);

  constructor({ output, format, redact, level = "info" }: LogOptions) {
    this.#output = output;
    this.#format = format;
    this.#redact = redact;
    this.#level = level;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get backgroundTask(): BackgroundTask {
    return this;
  }

  /** No lines are formatted while a batch is being written: a formatted line takes more memory than its subject. */
  get waiting(): number {
    return this.#isStalled ? 0 : this.#queue.length - this.#formatted;
  }

  runSlice(lines: number): void {
    const until = Math.min(this.#formatted + Math.min(lines, MAX_BATCH), this.#queue.length);
    for (let at = this.#formatted; at < until; at++) this.#textOf(this.#queue[at]!);
    this.#formatted = until;
  }

  isEnabled(level: LogLevel): boolean {
    return isAtLeast(level, this.#level);
  }

  write(fields: LogFields): void {
    if (!this.isEnabled(fields.level ?? "info")) return;
    this.#enqueue({ atMs: Date.now(), fields: truncateDetail(fields), missing: 0, text: undefined });
  }

  writeLazily<Subject>(subject: Subject, fieldsOf: (subject: Subject) => LogFields): void {
    // Fields are small. A subject may be large, and must not stay in memory while the output is stalled.
    if (this.#isStalled) this.write(fieldsOf(subject));
    else this.#enqueue(new QueuedSubject(subject, fieldsOf));
  }

  #enqueue(line: QueuedLine): void {
    if (this.#queue.length >= MAX_QUEUED) return this.#drop();
    this.#gap = undefined;
    this.#queue.push(line);
    if (!this.#isBusy) this.#scheduleWrite(BATCH_MS);
  }

  async flush(): Promise<void> {
    await Promise.race([this.#writeAll(), Bun.sleep(FLUSH_TIMEOUT_MS)]);
  }

  async #writeAll(): Promise<void> {
    await this.#last;
    let isWritten = true;
    while (isWritten && this.#queue.length > 0) isWritten = await this.#writeBatch();
  }

  /** Writes the queued lines. While a batch is being written, further lines queue behind it. */
  async #writeQueued(): Promise<void> {
    let isWritten = true;
    this.#isStalled = true;
    do isWritten = await this.#writeBatch();
    while (isWritten && this.#queue.length >= MAX_BATCH);
    this.#isStalled = !isWritten;
    this.#isBusy = false;
    if (this.#queue.length > 0) this.#scheduleWrite(isWritten ? BATCH_MS : RETRY_MS);
  }

  #scheduleWrite(ms: number): void {
    this.#isBusy = true;
    setTimeout(() => void this.#writeQueued(), ms);
  }

  #writeBatch(): Promise<boolean> {
    this.#last = this.#last.then(() => this.#writeNext());
    return this.#last;
  }

  async #writeNext(): Promise<boolean> {
    const batch = this.#queue.splice(0, MAX_BATCH);
    this.#formatted = Math.max(0, this.#formatted - batch.length);
    if (batch.length === 0) return true;
    const isWritten = await this.#output(batch.map((line) => this.#textOf(line)).join(""));
    if (!isWritten) this.#noteLost(batch);
    return isWritten;
  }

  #textOf(line: QueuedLine): string {
    line.text ??= this.#redact(`${this.#format(new Date(line.atMs), line.fields ?? fieldsOfGap(line.missing))}\n`);
    return line.text;
  }

  #drop(): void {
    this.#dropped++;
    if (this.#gap) Object.assign(this.#gap, { missing: this.#gap.missing + 1, text: undefined });
    else this.#queue.push((this.#gap = { atMs: Date.now(), fields: undefined, missing: 1, text: undefined }));
  }

  /**
   * A lost batch is reported before the next line. Gaps within the lost batch are included in this report, but not counted again in
   * `dropped`.
   */
  #noteLost(batch: readonly QueuedLine[]): void {
    const lines = batch.filter(({ fields }) => fields !== undefined).length;
    const missing = batch.reduce((sum, line) => sum + line.missing, lines);
    this.#dropped += lines;
    this.#queue.unshift({ atMs: batch[0]!.atMs, fields: undefined, missing, text: undefined });
    this.#formatted = 0;
  }
}

function fieldsOfGap(count: number): LogFields {
  const lines = count === 1 ? "1 line is missing here: it was" : `${count} lines are missing here: they were`;
  return { level: "warn", event: "log_dropped", message: `${lines} not taken in time by whatever reads this log`, dropped: count };
}

/** Truncates details: they may come from upstreams and have any length, and many lines may be queued. */
function truncateDetail(fields: LogFields): LogFields {
  const { detail } = fields;
  return typeof detail === "string" && detail.length > MAX_DETAIL ? { ...fields, detail: `${detail.slice(0, MAX_DETAIL)}…` } : fields;
}
