import { withField } from "../../lib/json/json-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { estimateTokens, isCountedAs, usageFromWire, usageToWire, type ReceivedUsage, type Usage } from "../../money/usage.ts";
import type { EventTranslator } from "../dialect.ts";
import { truncatedResponse, readError, refusalInside } from "../refusal.ts";
import { premiumTierOf, withTier } from "../../requests/service-tier.ts";
import { onlyTextIn, TextChunk } from "../../requests/text-chunk.ts";
import type { StreamedCall } from "../upstream.ts";
import { ChoiceMender } from "./choice-mender.ts";
import { headOf, mendHead, mendIndex, mendUsage, type Head } from "./mend.ts";
import { Mending } from "./mending.ts";
import { isImplausible, withOutputEstimated } from "./plausible-usage.ts";
import type { ReceivedText } from "./received-text.ts";
import { UsageFrames } from "./usage-frames.ts";

type Json = Record<string, unknown>;

/** The highest `n` that a request can have. */
const MAX_CHOICES = 128;

/**
 * Checks the chunks of one stream as they pass. A well-formed chunk is relayed with its own bytes, with only the model's name
 * replaced; a chunk that would break a client is repaired first. Token counts are removed, and sent once at the end.
 */
export class ChunkMender implements EventTranslator {
  readonly #model: string;
  readonly #mending: Mending;
  readonly #choices = new Map<unknown, ChoiceMender>();
  readonly #usageFrames = new UsageFrames(this.#choices);
  #head: Head | undefined;
  /** The last chunk as it was received and as it was sent, if it had only text and needed no repair. */
  #received: TextChunk | undefined;
  #sent: TextChunk | undefined;
  /** The choice of the last chunk, if that had exactly one choice. */
  #choice: ChoiceMender | undefined;
  /** Whether the last chunk ended that choice. */
  #hasJustEnded = false;
  #usageChunk: string | undefined;
  /** The findings of Azure's content filter in the prompt, held until the first chunk that can carry them. */
  #promptFilterResults: unknown;
  /** The service tier in the last chunk that has one, if it may multiply the rates. */
  #tier: string | undefined;
  #isDone = false;

  constructor(call: StreamedCall) {
    this.#model = JSON.stringify(call.model);
    this.#mending = new Mending(call);
  }

  get usage(): Usage | undefined {
    return this.#counted.usage;
  }

  get uncountedBytes(): number {
    return this.#counted.uncountedBytes;
  }

  get multipliers(): ReceivedUsage["multipliers"] {
    return this.#tier === undefined ? undefined : [this.#tier];
  }

  get #counted(): ReceivedUsage {
    const { usage, uncountedBytes } = this.#usageFrames;
    return usage && this.#isImplausible(usage, uncountedBytes)
      ? withOutputEstimated(usage, this.#receivedTexts())
      : { usage, uncountedBytes };
  }

  /** The upstream's own bytes, if it sent exactly these counts. */
  endEvents(usage: Usage, more: Json): readonly string[] {
    const own = isCountedAs(usage, this.#usageFrames.usage) ? this.#usageChunk : undefined;
    const chunk = own ?? this.#newChunk([], { usage: usageToWire(usage) });
    return [Object.entries(more).reduce((text, [name, value]) => withField(text, name, JSON.stringify(value)), chunk)];
  }

  /** Chunks with a finish reason for every choice that the upstream has not finished. */
  closingChunks(finishReason: string): string[] {
    const open = [...this.#choices].filter(([, choice]) => !choice.isFinished);
    return open.map(([index]) => this.#newChunk([{ index, delta: {}, logprobs: null, finish_reason: finishReason }], {}));
  }

  take(event: string, chunks: string[]): boolean {
    const text = this.#sent && this.#received?.match(event);
    if (text !== undefined) {
      this.#countText(this.#choice!.addText(text));
      chunks.push(this.#sent!.render(text));
      return false;
    }
    this.#isDone = event.trimEnd() === "[DONE]";
    if (this.#isDone) return true;
    const chunk = this.#mend(event);
    if (chunk !== undefined) chunks.push(chunk);
    return false;
  }

  /** A stream without a finish reason was cut off, and must not pass for a complete response. */
  requireFinished(): void {
    const choices = [...this.#choices.values()];
    if (choices.length === 0) throw truncatedResponse("the stream ended before its first chunk");
    if (!choices.every((choice) => choice.isFinished)) throw truncatedResponse("the stream ended without a finish reason");
    const { usage, uncountedBytes } = this.#usageFrames;
    if (!usage) this.#mending.note("usage_missing");
    else if (this.#isImplausible(usage, uncountedBytes)) this.#mending.note("usage_implausible");
    if (!this.#isDone) this.#mending.note("done_missing");
  }

  /** The chunk to send for an event, or undefined if there is nothing to send. */
  #mend(event: string): string | undefined {
    this.#received = undefined;
    if (event === "") return undefined;
    const chunk = parseEvent(event);
    if (chunk["error"]) throw refusalInside(readError(chunk["error"]));
    const mending = this.#mending;
    mending.beginChunk();
    mendUsage(chunk, mending);
    if (typeof chunk["service_tier"] === "string") this.#tier = premiumTierOf(chunk["service_tier"]);
    const { choices } = chunk;
    if (!Array.isArray(choices) || choices.length === 0) {
      this.#takeWithoutChoices(chunk, event);
      return undefined;
    }
    this.#choice = undefined;
    for (let at = 0; at < choices.length; at++) this.#mendChoice(choices[at], at);
    if (choices.length > 1) this.#choice = undefined;
    if (this.#promptFilterResults !== undefined) this.#addPromptFilterResults(chunk);
    if (chunk["usage"] != null) {
      // Some upstreams send usage on every chunk, some on the last chunk with text: callers receive it once, in a separate chunk.
      const usageOnly = { ...chunk, choices: [] };
      mending.set(chunk, "usage", null, "usage_misplaced");
      this.#storeUsageChunk(usageOnly, event, true);
    }
    const written = this.#write(chunk, event);
    const text = mending.isNeeded ? undefined : onlyTextIn(chunk);
    if (text === undefined) return written;
    this.#received = TextChunk.of(event, text);
    this.#sent = TextChunk.of(written, text);
    return written;
  }

  /**
   * Takes the data of a chunk without choices, which is not sent: naive clients read `choices[0]` of each chunk. Azure starts a stream with
   * such a chunk (content filter results), and other servers end with one.
   */
  #takeWithoutChoices(chunk: Json, event: string): void {
    if (Array.isArray(chunk["prompt_filter_results"])) this.#promptFilterResults = chunk["prompt_filter_results"];
    const isListed = Array.isArray(chunk["choices"]);
    if (chunk["usage"] == null) return this.#mending.note(isListed ? "choices_empty" : "event_unexpected");
    if (!isListed) this.#mending.set(chunk, "choices", [], "choices_missing");
    this.#storeUsageChunk(chunk, event, false);
  }

  #addPromptFilterResults(chunk: Json): void {
    if (!Object.hasOwn(chunk, "prompt_filter_results")) this.#mending.set(chunk, "prompt_filter_results", this.#promptFilterResults);
    this.#promptFilterResults = undefined;
  }

  /** Stores the token counts until the end, in the upstream's own bytes if the chunk has nothing else. */
  #storeUsageChunk(chunk: Json, event: string, isBeside: boolean): void {
    const frames = this.#usageFrames;
    const isFirst = frames.isEmpty;
    const usage = withTier(usageFromWire(chunk["usage"])!, this.#tier);
    if (this.#choice && (isBeside || this.#hasJustEnded)) frames.takeOf(this.#choice, this.#hasJustEnded, usage);
    else frames.takeTotal(usage);
    if (frames.isPerChoice) this.#mending.note("usage_per_choice");
    else if (!isFirst) this.#mending.note("usage_repeated");
    this.#hasJustEnded = false;
    this.#usageChunk = this.#write(chunk, event);
  }

  /** Serializes the chunk. Every chunk gets the `id` and `created` of the first. */
  #write(chunk: Json, event: string): string {
    this.#head ??= headOf(chunk, "chat.completion.chunk");
    mendHead(chunk, this.#head, this.#mending);
    // JSON from several `data:` lines contains line breaks, which would end our own `data:` line.
    return withField(this.#mending.isNeeded || event.includes("\n") ? JSON.stringify(chunk) : event, "model", this.#model);
  }

  #newChunk(choices: readonly unknown[], more: Json): string {
    this.#head ??= headOf({}, "chat.completion.chunk");
    const { id, object, created } = this.#head;
    return withField(JSON.stringify({ id, object, created, model: "", choices, ...more }), "model", this.#model);
  }

  #mendChoice(choice: unknown, at: number): void {
    if (!isObject(choice)) throw new Error("a choice that is not an object");
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

  #receivedTexts(): ReceivedText[] {
    return [...this.#choices.values()].map(({ received }) => received);
  }

  #isImplausible({ completionTokens }: Usage, uncountedBytes: number): boolean {
    return isImplausible(completionTokens + estimateTokens(uncountedBytes), this.#receivedTexts());
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

/** The error is logged, so it describes the event without its content, which may be part of a response. */
function parseEvent(event: string): Json {
  let chunk: unknown;
  try {
    chunk = JSON.parse(event);
  } catch {
    throw new Error(`an event of ${event.length} characters that is not JSON`);
  }
  if (!isObject(chunk)) throw new Error("an event that is not an object");
  return chunk;
}
