import { withField } from "../../lib/json/json-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { estimateTokens, usageFromWire, usageToWire, type Counted, type Usage } from "../../money/usage.ts";
import type { EventTranslator } from "../dialect.ts";
import { brokeOff, readError, refusalInside } from "../refusal.ts";
import type { StreamedCall } from "../upstream.ts";
import { ChoiceMender } from "./choice-mender.ts";
import { headOf, mendHead, mendIndex, mendUsage, type Head } from "./mend.ts";
import { Mending } from "./mending.ts";
import { isImplausible, withOutputEstimated } from "./plausible-usage.ts";
import type { ReceivedText } from "./received-text.ts";
import { TextFrame } from "./chunk-template.ts";
import { UsageFrames } from "./usage-frames.ts";

type Json = Record<string, unknown>;

/** More choices than a request can ask for. */
const MAX_CHOICES = 128;

/**
 * Checks the chunks of one stream as they pass. A chunk that keeps to the format goes on with its own bytes, only the model's
 * name replaced; one that would break some client is put right first. Token counts are taken out, to be sent once, at the end.
 */
export class ChunkMender implements EventTranslator {
  readonly #model: string;
  readonly #mending: Mending;
  readonly #choices = new Map<unknown, ChoiceMender>();
  readonly #usageFrames = new UsageFrames(this.#choices);
  #head: Head | undefined;
  /** Of the last chunk, where it was nothing but text and needed no mending. */
  #frame: TextFrame | undefined;
  /** The choice of the last chunk, where it had one alone. */
  #choice: ChoiceMender | undefined;
  /** Whether the last chunk ended that choice. */
  #hasJustEnded = false;
  #usageChunk: string | undefined;
  #isDone = false;

  constructor(call: StreamedCall) {
    this.#model = JSON.stringify(call.chat.model);
    this.#mending = new Mending(call);
  }

  get usage(): Usage | undefined {
    return this.#counted.usage;
  }

  get uncountedBytes(): number {
    return this.#counted.uncountedBytes;
  }

  get #counted(): Counted {
    const { usage, uncountedBytes } = this.#usageFrames;
    return usage && this.#isImplausible(usage, uncountedBytes) ? withOutputEstimated(usage, this.#received()) : { usage, uncountedBytes };
  }

  /** In the upstream's own bytes, where it gave just these counts. */
  usageChunk(usage: Usage, more: Json): string {
    const own = usage === this.#usageFrames.usage ? this.#usageChunk : undefined;
    const chunk = own ?? this.#newChunk([], { usage: usageToWire(usage) });
    return Object.entries(more).reduce((text, [name, value]) => withField(text, name, JSON.stringify(value)), chunk);
  }

  /** Chunks that end every choice which the upstream has not ended. */
  closingChunks(finishReason: string): string[] {
    const open = [...this.#choices].filter(([, choice]) => !choice.isFinished);
    return open.map(([index]) => this.#newChunk([{ index, delta: {}, logprobs: null, finish_reason: finishReason }], {}));
  }

  take(event: string, chunks: string[]): boolean {
    const text = this.#frame?.textIn(event);
    if (text !== undefined) {
      this.#countText(this.#choice!.addText(text));
      chunks.push(this.#frame!.around(text));
      return false;
    }
    this.#isDone = event.trimEnd() === "[DONE]";
    if (this.#isDone) return true;
    const chunk = this.#mend(event);
    if (chunk !== undefined) chunks.push(chunk);
    return false;
  }

  /** A stream that just stops was cut, and must not be taken for an answer. */
  requireFinished(): void {
    const choices = [...this.#choices.values()];
    if (choices.length === 0) throw brokeOff("the stream ended before its first chunk");
    if (!choices.every((choice) => choice.isFinished)) throw brokeOff("the stream ended without a finish reason");
    const { usage, uncountedBytes } = this.#usageFrames;
    if (!usage) this.#mending.note("usage_missing");
    else if (this.#isImplausible(usage, uncountedBytes)) this.#mending.note("usage_implausible");
    if (!this.#isDone) this.#mending.note("done_missing");
  }

  /** The chunk to send for an event, or undefined where it says nothing to the caller. */
  #mend(event: string): string | undefined {
    this.#frame = undefined;
    if (event === "") return undefined;
    const chunk = parseEvent(event);
    if (chunk["error"]) throw refusalInside(readError(chunk["error"]));
    const mending = this.#mending;
    mending.beginChunk();
    mendUsage(chunk, mending);
    const { choices } = chunk;
    if (!Array.isArray(choices) || choices.length === 0) {
      this.#takeWithoutChoices(chunk, event);
      return undefined;
    }
    this.#choice = undefined;
    for (let at = 0; at < choices.length; at++) this.#mendChoice(choices[at], at);
    if (choices.length > 1) this.#choice = undefined;
    if (chunk["usage"] != null) {
      // Some upstreams count on every chunk, some on the last one with text: callers get one count, in a chunk apart.
      const apart = { ...chunk, choices: [] };
      mending.set(chunk, "usage", null, "usage_misplaced");
      this.#keepUsageChunk(apart, event, true);
    }
    const written = this.#write(chunk, event);
    const text = mending.isNeeded || choices.length > 1 ? undefined : loneText(choices[0] as Json);
    if (text !== undefined) this.#frame = TextFrame.of(event, text, written);
    return written;
  }

  /** Azure opens with an empty chunk about its filters, others close with one: naive clients read `choices[0]` of each. */
  #takeWithoutChoices(chunk: Json, event: string): void {
    const isListed = Array.isArray(chunk["choices"]);
    if (chunk["usage"] == null) return this.#mending.note(isListed ? "choices_empty" : "event_unexpected");
    if (!isListed) this.#mending.set(chunk, "choices", [], "choices_missing");
    this.#keepUsageChunk(chunk, event, false);
  }

  /** Holds the token counts back for the end, in the upstream's own bytes where there is nothing else in them. */
  #keepUsageChunk(chunk: Json, event: string, isBeside: boolean): void {
    const frames = this.#usageFrames;
    const isFirst = frames.isEmpty;
    const usage = usageFromWire(chunk["usage"])!;
    if (this.#choice && (isBeside || this.#hasJustEnded)) frames.takeOf(this.#choice, this.#hasJustEnded, usage);
    else frames.takeTotal(usage);
    if (frames.isPerChoice) this.#mending.note("usage_per_choice");
    else if (!isFirst) this.#mending.note("usage_repeated");
    this.#hasJustEnded = false;
    this.#usageChunk = this.#write(chunk, event);
  }

  /** The chunk's text. `id` and `created` are the first chunk's on every chunk. */
  #write(chunk: Json, event: string): string {
    this.#head ??= headOf(chunk, "chat.completion.chunk");
    mendHead(chunk, this.#head, this.#mending);
    // JSON spread over several `data:` lines has line ends in it, which would end our own line.
    return withField(this.#mending.isNeeded || event.includes("\n") ? JSON.stringify(chunk) : event, "model", this.#model);
  }

  #newChunk(choices: readonly unknown[], more: Json): string {
    this.#head ??= headOf({}, "chat.completion.chunk");
    const { id, object, created } = this.#head;
    return withField(JSON.stringify({ id, object, created, model: "", choices, ...more }), "model", this.#model);
  }

  #mendChoice(choice: unknown, at: number): void {
    if (!isObject(choice)) throw new Error("a choice that is no object");
    mendIndex(choice, at, this.#mending);
    const mender = this.#menderOf(choice["index"]);
    const wasFinished = mender.isFinished;
    this.#countText(mender.mend(choice, this.#mending));
    this.#choice = mender;
    this.#hasJustEnded = mender.isFinished && !wasFinished;
  }

  #countText(bytes: number): void {
    this.#usageFrames.uncountedBytesOfAll += bytes;
  }

  #received(): ReceivedText[] {
    return [...this.#choices.values()].map(({ received }) => received);
  }

  #isImplausible({ completionTokens }: Usage, uncountedBytes: number): boolean {
    return isImplausible(completionTokens + estimateTokens(uncountedBytes), this.#received());
  }

  #menderOf(index: unknown): ChoiceMender {
    const known = this.#choices.get(index);
    if (known) return known;
    if (this.#choices.size >= MAX_CHOICES) throw new Error(`more than ${MAX_CHOICES} choices`);
    const mender = new ChoiceMender();
    this.#choices.set(index, mender);
    return mender;
  }
}

/** The text of a choice that says nothing else, and does not end. */
function loneText({ delta, finish_reason: finishReason }: Json): string | undefined {
  if (finishReason !== null) return undefined;
  for (const name in delta as Json) if (name !== "content") return undefined;
  const { content } = delta as Json;
  return typeof content === "string" ? content : undefined;
}

/** What is wrong with an event goes to the log; what is in it may be an answer, and does not. */
function parseEvent(event: string): Json {
  let chunk: unknown;
  try {
    chunk = JSON.parse(event);
  } catch {
    throw new Error(`an event of ${event.length} characters that is not JSON`);
  }
  if (!isObject(chunk)) throw new Error("an event that is no object");
  return chunk;
}
