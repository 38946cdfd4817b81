import { isObject } from "../../lib/schema/schema.ts";
import type { Usage } from "../../money/usage.ts";
import { ChunkWriter } from "../streams/chunk-writer.ts";
import type { EventTranslator } from "../dialect.ts";
import { truncatedResponse, unparsableResponse } from "../refusal.ts";
import type { StreamedCall } from "../upstream.ts";
import { idOf } from "./anthropic-completion.ts";
import { errorInside } from "./anthropic-error.ts";
import { finishReasonOf } from "./stop-reason.ts";
import { AnthropicUsage } from "./anthropic-usage.ts";
import { openBlock, type OpenBlock, type StreamState } from "./open-block.ts";

type Json = Readonly<Record<string, unknown>>;

/** Bounds memory. A response usually has one block open at a time. */
const MAX_OPEN_BLOCKS = 1_000;

/** The block type that a delta without a `content_block_start` belongs to. */
const IMPLIED_BLOCKS: Readonly<Record<string, string>> = { text_delta: "text", thinking_delta: "thinking" };

/**
 * Translates the events of a Messages stream into chunks. Nothing is sent before the first content: an overloaded server opens
 * its stream and then fails, and until then the gateway can still return an error status or fail over.
 */
export class AnthropicEvents implements EventTranslator {
  readonly #call: StreamedCall;
  readonly #counts: AnthropicUsage;
  readonly #open = new Map<unknown, OpenBlock>();
  #state: StreamState | undefined;
  /** `message_start` counts the prompt, and a few tokens of output at most. */
  #isOutputCounted = false;

  constructor(call: StreamedCall) {
    this.#call = call;
    this.#counts = new AnthropicUsage(call.report);
  }

  get usage(): Usage | undefined {
    return this.#counts.usage;
  }

  get uncountedBytes(): number {
    return this.#state?.writer.uncountedBytes ?? 0;
  }

  get isOutputUncounted(): boolean {
    return !this.#isOutputCounted;
  }

  endEvents(usage: Usage, more: Json): readonly string[] {
    return [this.#stream.writer.usageChunk(usage, more)];
  }

  closingChunks(finishReason: string): string[] {
    return this.#stream.writer.closingChunks(finishReason);
  }

  /** A stop reason is sufficient: `message_stop` adds no information. */
  requireFinished(): void {
    if (this.#state?.writer.isFinished) return;
    throw truncatedResponse(this.#state ? "the stream ended without a stop reason" : "the stream ended before its first event");
  }

  take(event: string, chunks: string[]): boolean {
    if (event === "") return false;
    if (event.startsWith("[DONE]")) return true;
    const { type, ...rest } = parseEvent(event);
    if (type === "message_stop") return true;
    if (type === "error") throw errorInside(rest["error"]);
    if (type === "message_delta") this.#finish(rest, chunks);
    else if (this.#state?.writer.isFinished && type !== "ping") this.#call.report("text_after_finish");
    else if (type === "message_start") this.#start(rest["message"], chunks);
    else if (type === "content_block_start") this.#openBlock(rest["index"], rest["content_block"], chunks);
    else if (type === "content_block_delta") this.#addTo(rest["index"], rest["delta"], chunks);
    else if (type === "content_block_stop") this.#close(rest["index"], chunks);
    else if (type !== "ping") this.#call.report("event_unexpected");
    return false;
  }

  /** The state of the stream, created by the first event that has something to send. */
  get #stream(): StreamState {
    this.#state ??= this.#begin({});
    return this.#state;
  }

  #begin(message: Json): StreamState {
    return { writer: new ChunkWriter(this.#call.model, idOf(message, this.#call)), toolCalls: 0, thinking: [], bufferedChars: 0 };
  }

  /** `content` is normally empty here and follows in separate events, but compatible servers may include some. */
  #start(message: unknown, chunks: string[]): void {
    if (!isObject(message)) throw unparsableResponse("a message_start without a message");
    this.#state ??= this.#begin(message);
    this.#counts.take(message["usage"]);
    const content = Array.isArray(message["content"]) ? message["content"] : [];
    for (const block of content) openBlock(block, this.#stream, this.#call, chunks).close(chunks);
  }

  #openBlock(index: unknown, block: unknown, chunks: string[]): void {
    if (this.#open.size >= MAX_OPEN_BLOCKS) throw unparsableResponse("too many blocks at a time");
    this.#close(index, chunks);
    this.#open.set(index, openBlock(block, this.#stream, this.#call, chunks));
  }

  /** A text or thinking delta without a `content_block_start` opens its block, so that no text is lost. */
  #addTo(index: unknown, delta: unknown, chunks: string[]): void {
    const kind = isObject(delta) ? IMPLIED_BLOCKS[delta["type"] as string] : undefined;
    if (!this.#open.has(index) && kind !== undefined) this.#openBlock(index, { type: kind }, chunks);
    const block = this.#open.get(index);
    if (block && isObject(delta)) block.add(delta, chunks);
    else this.#call.report("event_unexpected");
  }

  #close(index: unknown, chunks: string[]): void {
    this.#open.get(index)?.close(chunks);
    this.#open.delete(index);
  }

  #finish({ delta, usage }: Json, chunks: string[]): void {
    const { writer } = this.#stream;
    if (this.#counts.take(usage)) {
      writer.counted();
      this.#isOutputCounted = true;
    }
    const stopReason = isObject(delta) ? delta["stop_reason"] : undefined;
    if (stopReason == null) return;
    if (writer.isFinished) return this.#call.report("finish_reason_repeated");
    for (const block of this.#open.values()) block.close(chunks);
    this.#open.clear();
    if (writer.uncountedBytes > 0) this.#call.report("usage_missing");
    chunks.push(writer.finish(finishReasonOf(stopReason, writer.hasToolCalls, this.#call)));
  }
}

/** The error is logged, so it describes the event without its content, which may be part of a response. */
export function parseEvent(event: string): Json {
  let parsed: unknown;
  try {
    parsed = JSON.parse(event);
  } catch {
    throw unparsableResponse(`an event of ${event.length} characters that is not JSON`);
  }
  if (!isObject(parsed)) throw unparsableResponse("an event that is not an object");
  return parsed;
}
