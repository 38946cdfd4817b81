import type { Listener } from "./connection.ts";
import { planOf, usageOf, type StreamPlan } from "./stream-plan.ts";

/** The result of a stream. `problem` is null if it was complete and correct. */
export interface StreamOutcome {
  readonly problem: string | null;
  /** Whether the body had exactly the bytes that the upstream sent. */
  readonly isIdentical: boolean;
  readonly texts: number;
  readonly events: number;
  readonly comments: number;
  readonly changedEvents: number;
}

export interface StreamWatcher {
  /** Called when a text arrives, with the time in nanoseconds by the clock of this process. */
  onText(index: number, at: number): void;
  onOutcome(outcome: StreamOutcome): void;
}

interface StreamEvent {
  readonly error?: unknown;
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null }; readonly finish_reason?: string | null }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

const EVENT_END = "\n\n";

/**
 * Reads one stream and compares it with its plan. An event with the expected bytes costs one comparison. Any other event is parsed as JSON,
 * and must have the same meaning.
 */
export class StreamCheck implements Listener {
  readonly #plan: StreamPlan;
  readonly #expected: readonly Buffer[];
  readonly #watcher: StreamWatcher;
  /** The next event: the role, the texts, the finish reason, the usage, `[DONE]`. */
  #next = 0;
  #rest: Buffer | undefined;
  #problem: string | null = null;
  #texts = 0;
  #events = 0;
  #comments = 0;
  #changed = 0;
  #at = 0;

  constructor(model: string, watcher: StreamWatcher) {
    this.#plan = planOf(model)!;
    this.#expected = expectedOf(this.#plan);
    this.#watcher = watcher;
  }

  get texts(): number {
    return this.#texts;
  }

  get problem(): string | null {
    return this.#problem;
  }

  onHead(status: number): void {
    if (status !== 200) this.#fail(`status ${status}`);
  }

  onBody(bytes: Buffer, at: number): void {
    if (this.#problem !== null) return;
    this.#at = at;
    const all = this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes;
    let from = 0;
    while (from < all.length) {
      const end = this.#endOfEvent(all, from);
      if (end < 0) break;
      from = end;
    }
    this.#rest = from < all.length ? all.subarray(from) : undefined;
  }

  onEnd(): void {
    if (this.#rest !== undefined) this.#fail("half an event at the end");
    if (this.#next !== this.#expected.length) this.#fail(this.#whatIsMissing());
    this.#reportEnd();
  }

  onLost(why: string): void {
    this.#fail(why);
    this.#reportEnd();
  }

  /** Processes the event that starts at `from`, and returns its end; a negative number if the event is incomplete. */
  #endOfEvent(bytes: Buffer, from: number): number {
    const expected = this.#expected[this.#next];
    if (expected && bytes.length - from >= expected.length && isAt(bytes, from, expected)) {
      this.#events++;
      this.#advance(this.#next);
      return from + expected.length;
    }
    const end = bytes.indexOf(EVENT_END, from);
    if (end < 0) return -1;
    this.#takeOther(bytes.toString("utf8", from, end));
    return end + EVENT_END.length;
  }

  #advance(place: number): void {
    this.#next = place + 1;
    if (place > 0 && place <= this.#plan.count) this.#watcher.onText(this.#texts++, this.#at);
  }

  /** Processes an event whose bytes differ from the upstream's: lines with comments, `data` and other fields, in any order. */
  #takeOther(event: string): void {
    const lines = event.split("\n");
    const fields = lines.filter((line) => line !== "" && !line.startsWith(":"));
    this.#comments += lines.filter((line) => line.startsWith(":")).length;
    if (fields.length === 0) return;
    this.#events++;
    this.#changed++;
    const data = fields
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice("data:".length).trim())
      .join("\n");
    if (data === "") return this.#fail("an event without data");
    if (data === "[DONE]") return this.#expectPlace(this.#plan.count + 3, "[DONE] out of place");
    try {
      this.#takeSaid(JSON.parse(data) as StreamEvent);
    } catch {
      this.#fail("an event that is not JSON");
    }
  }

  #takeSaid({ error, choices = [], usage }: StreamEvent): void {
    if (error !== undefined && error !== null) return this.#fail("an error event");
    const [choice] = choices;
    const text = choice?.delta?.content ?? "";
    if (text !== "") this.#takeText(text);
    if (choice?.finish_reason != null) this.#takeFinish(choice.finish_reason);
    if (usage != null) this.#takeUsage(usage);
  }

  #takeText(text: string): void {
    if (text !== this.#plan.textAt(this.#texts)) return this.#fail("a text that is wrong or out of place");
    if (this.#next <= 1 + this.#texts) this.#advance(1 + this.#texts);
    else this.#fail("a text behind the end");
  }

  /** An idle stream ends on request, any other stream after its last text. */
  #takeFinish(reason: string): void {
    if (reason !== "stop") return this.#fail(`finish reason ${reason}`);
    if (this.#plan.kind === "idle" && this.#next === 1 + this.#texts) this.#next = this.#plan.count + 1;
    this.#expectPlace(this.#plan.count + 1, "a finish reason out of place");
  }

  #takeUsage(usage: { prompt_tokens: number; completion_tokens: number }): void {
    const issued = usageOf(this.#texts);
    if (usage.prompt_tokens !== issued.prompt_tokens || usage.completion_tokens !== issued.completion_tokens) {
      return this.#fail("other token counts than the upstream's");
    }
    this.#expectPlace(this.#plan.count + 2, "token counts out of place");
  }

  #expectPlace(place: number, otherwise: string): void {
    if (this.#next === place) this.#next++;
    else this.#fail(otherwise);
  }

  #whatIsMissing(): string {
    const { count } = this.#plan;
    if (this.#next <= count) return "texts are missing";
    return ["no finish reason", "no token counts", "no [DONE]"][this.#next - count - 1]!;
  }

  /** Only the first problem is reported: the problems that follow from it would hide it. */
  #fail(problem: string): void {
    this.#problem ??= problem;
  }

  #reportEnd(): void {
    this.#watcher.onOutcome({
      problem: this.#problem,
      isIdentical: this.#problem === null && this.#changed === 0 && this.#comments === 0 && this.#events === this.#expected.length,
      texts: this.#texts,
      events: this.#events,
      comments: this.#comments,
      changedEvents: this.#changed,
    });
  }
}

const expectations = new WeakMap<StreamPlan, readonly Buffer[]>();

function expectedOf(plan: StreamPlan): readonly Buffer[] {
  let expected = expectations.get(plan);
  if (!expected) expectations.set(plan, (expected = [...plan.events, ...plan.end(plan.count, true)]));
  return expected;
}

function isAt(bytes: Buffer, from: number, expected: Buffer): boolean {
  return bytes.compare(expected, 0, expected.length, from, from + expected.length) === 0;
}
