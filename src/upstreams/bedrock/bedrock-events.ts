import { isObject } from "../../lib/schema/schema.ts";
import type { Usage } from "../../money/usage.ts";
import type { EventTranslator } from "../dialect.ts";
import { truncatedResponse, unparsableResponse } from "../refusal.ts";
import { ChunkWriter } from "../streams/chunk-writer.ts";
import type { StreamedCall } from "../upstream.ts";
import { exceptionInside } from "./bedrock-refusal.ts";
import { finishReasonOf } from "./bedrock-stop-reason.ts";
import { readStreamUsage } from "./bedrock-usage.ts";
import { openByDelta, openToolUse, type OpenBlock, type StreamState } from "./open-block.ts";
import { newResponseId } from "../streams/write-completion.ts";

type Json = Readonly<Record<string, unknown>>;

/** Bounds memory. A response usually has one block open at a time. */
const MAX_OPEN_BLOCKS = 1_000;

/** Translates the events of `ConverseStream` into chunks. The token counts follow the stop reason, and are the last event. */
export class BedrockEvents implements EventTranslator {
  readonly #call: StreamedCall;
  readonly #state: StreamState;
  readonly #writer: ChunkWriter;
  readonly #open = new Map<unknown, OpenBlock>();
  #usage: Usage | undefined;

  constructor(call: StreamedCall) {
    this.#call = call;
    this.#writer = new ChunkWriter(call.model, newResponseId());
    this.#state = { writer: this.#writer, call, toolCalls: 0, reasoning: [], bufferedChars: 0 };
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  get uncountedBytes(): number {
    return this.#writer.uncountedBytes;
  }

  endEvents(usage: Usage, more: Json): readonly string[] {
    return [this.#writer.usageChunk(usage, more)];
  }

  closingChunks(finishReason: string): string[] {
    return this.#writer.closingChunks(finishReason);
  }

  /** A stop reason is sufficient. Called at the end of the body if the counts have not arrived. */
  requireFinished(): void {
    if (!this.#writer.isFinished) throw truncatedResponse("the stream ended without a stop reason");
    if (!this.#usage) this.#call.report("usage_missing");
  }

  take(event: string, chunks: string[]): boolean {
    const [type, payload] = parseFrame(event);
    if (type === "metadata") return this.#count(payload["usage"]);
    if (type === "error" || /exception$/i.test(type)) throw exceptionInside(type, payload);
    if (this.#writer.isFinished) this.#call.report(type === "messageStop" ? "finish_reason_repeated" : "text_after_finish");
    else if (type === "messageStop") this.#finish(payload["stopReason"], chunks);
    else if (type === "contentBlockStart") this.#start(payload["contentBlockIndex"], payload["start"], chunks);
    else if (type === "contentBlockDelta") this.#addTo(payload["contentBlockIndex"], payload["delta"], chunks);
    else if (type === "contentBlockStop") this.#close(payload["contentBlockIndex"], chunks);
    else if (type !== "messageStart") this.#call.report("event_unexpected");
    return false;
  }

  /** Images and results of server-side tools also have a start event, but they cannot be sent to clients. */
  #start(index: unknown, start: unknown, chunks: string[]): void {
    const toolUse = isObject(start) ? start["toolUse"] : undefined;
    if (isObject(toolUse)) this.#keep(index, openToolUse(toolUse, this.#state, chunks), chunks);
    else if (isObject(start) && Object.keys(start).length > 0) this.#call.report("event_unexpected");
  }

  #addTo(index: unknown, delta: unknown, chunks: string[]): void {
    if (!isObject(delta)) return this.#call.report("event_unexpected");
    const opened = this.#open.has(index) ? undefined : openByDelta(delta, this.#state);
    if (opened) this.#keep(index, opened, chunks);
    const block = this.#open.get(index);
    if (block) block.add(delta, chunks);
    else this.#call.report("event_unexpected");
  }

  #keep(index: unknown, block: OpenBlock, chunks: string[]): void {
    if (this.#open.size >= MAX_OPEN_BLOCKS) throw unparsableResponse("too many blocks at a time");
    this.#close(index, chunks);
    this.#open.set(index, block);
  }

  #close(index: unknown, chunks: string[]): void {
    this.#open.get(index)?.close(chunks);
    this.#open.delete(index);
  }

  #finish(stopReason: unknown, chunks: string[]): void {
    for (const block of this.#open.values()) block.close(chunks);
    this.#open.clear();
    chunks.push(this.#writer.finish(finishReasonOf(stopReason, this.#writer.hasToolCalls, this.#call)));
  }

  #count(wire: unknown): boolean {
    const usage = readStreamUsage(wire, this.#call);
    if (usage) {
      this.#usage = usage;
      this.#writer.counted();
    }
    return this.#writer.isFinished;
  }
}

/** The error is logged, so it describes the event without its content, which may be part of a response. */
export function parseFrame(event: string): [type: string, payload: Json] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(event);
  } catch {
    throw unparsableResponse(`an event of ${event.length} characters that is not JSON`);
  }
  const [type, payload] = (isObject(parsed) && Object.entries(parsed)[0]) || [];
  if (type === undefined || !isObject(payload)) throw unparsableResponse("an event that is not an object");
  return [type, payload];
}
