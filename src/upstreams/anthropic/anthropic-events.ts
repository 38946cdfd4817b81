import { isObject } from "../../lib/schema/schema.ts";
import type { Usage } from "../../money/usage.ts";
import { ChunkWriter } from "../streams/chunk-writer.ts";
import type { EventTranslator } from "../dialect.ts";
import { brokeOff, notUnderstood } from "../refusal.ts";
import type { StreamedCall } from "../upstream.ts";
import { idOf } from "./anthropic-completion.ts";
import { errorInside } from "./anthropic-error.ts";
import { finishReasonOf } from "./stop-reason.ts";
import { AnthropicUsage } from "./anthropic-usage.ts";
import { openBlock, type OpenBlock, type StreamSoFar } from "./open-block.ts";

type Json = Readonly<Record<string, unknown>>;

/** Far more than any answer has open at a time: usually one. */
const MAX_OPEN_BLOCKS = 1_000;

/** What a piece is a piece of. */
const IMPLIED_BLOCKS: Readonly<Record<string, string>> = { text_delta: "text", thinking_delta: "thinking" };

/**
 * The events of one stream in the Messages format, as chunks. Nothing is sent before the first words: an overloaded server
 * begins its stream and then fails, and that can still be a status of ours.
 */
export class AnthropicEvents implements EventTranslator {
  readonly #call: StreamedCall;
  readonly #counts = new AnthropicUsage();
  readonly #open = new Map<unknown, OpenBlock>();
  #soFar: StreamSoFar | undefined;

  constructor(call: StreamedCall) {
    this.#call = call;
  }

  get usage(): Usage | undefined {
    return this.#counts.usage;
  }

  get uncountedBytes(): number {
    return this.#soFar?.writer.uncountedBytes ?? 0;
  }

  usageChunk(usage: Usage, more: Json): string {
    return this.#stream.writer.usageChunk(usage, more);
  }

  closingChunks(finishReason: string): string[] {
    return this.#stream.writer.closingChunks(finishReason);
  }

  /** The reason to finish is enough: `message_stop` behind it says nothing more. */
  requireFinished(): void {
    if (this.#soFar?.writer.isFinished) return;
    throw brokeOff(this.#soFar ? "the stream ended without a stop reason" : "the stream ended before its first event");
  }

  take(event: string, chunks: string[]): boolean {
    if (event === "") return false;
    if (event.startsWith("[DONE]")) return true;
    const { type, ...rest } = parseEvent(event);
    if (type === "message_stop") return true;
    if (type === "error") throw errorInside(rest["error"]);
    if (type === "message_delta") this.#finish(rest, chunks);
    else if (this.#soFar?.writer.isFinished && type !== "ping") this.#call.report("text_after_finish");
    else if (type === "message_start") this.#start(rest["message"], chunks);
    else if (type === "content_block_start") this.#openBlock(rest["index"], rest["content_block"], chunks);
    else if (type === "content_block_delta") this.#addTo(rest["index"], rest["delta"], chunks);
    else if (type === "content_block_stop") this.#close(rest["index"], chunks);
    else if (type !== "ping") this.#call.report("event_unexpected");
    return false;
  }

  /** What has been sent of it, from the first event that has something to send. */
  get #stream(): StreamSoFar {
    this.#soFar ??= this.#begin({});
    return this.#soFar;
  }

  #begin(message: Json): StreamSoFar {
    return { writer: new ChunkWriter(this.#call.chat.model, idOf(message, this.#call)), toolCalls: 0, thinking: [], keptChars: 0 };
  }

  /** The content is empty here, and comes in events of its own; a server that has some at hand already may put it here. */
  #start(message: unknown, chunks: string[]): void {
    if (!isObject(message)) throw notUnderstood("a message_start without a message");
    this.#soFar ??= this.#begin(message);
    this.#counts.take(message["usage"]);
    const content = Array.isArray(message["content"]) ? message["content"] : [];
    for (const block of content) openBlock(block, this.#stream, this.#call, chunks).close(chunks);
  }

  #openBlock(index: unknown, block: unknown, chunks: string[]): void {
    if (this.#open.size >= MAX_OPEN_BLOCKS) throw notUnderstood("too many blocks at a time");
    this.#close(index, chunks);
    this.#open.set(index, openBlock(block, this.#stream, this.#call, chunks));
  }

  /** Words without a block to be in are words all the same. */
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
    if (this.#counts.take(usage)) writer.counted();
    const stopReason = isObject(delta) ? delta["stop_reason"] : undefined;
    if (stopReason == null) return;
    if (writer.isFinished) return this.#call.report("finish_reason_repeated");
    for (const block of this.#open.values()) block.close(chunks);
    this.#open.clear();
    if (writer.uncountedBytes > 0) this.#call.report("usage_missing");
    chunks.push(writer.finish(finishReasonOf(stopReason, writer.hasToolCalls, this.#call)));
  }
}

/** What is wrong with an event goes to the log; what is in it may be an answer, and does not. */
function parseEvent(event: string): Json {
  let parsed: unknown;
  try {
    parsed = JSON.parse(event);
  } catch {
    throw notUnderstood(`an event of ${event.length} characters that is not JSON`);
  }
  if (!isObject(parsed)) throw notUnderstood("an event that is no object");
  return parsed;
}
