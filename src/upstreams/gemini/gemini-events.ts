import type { Usage } from "../../money/usage.ts";
import { ChunkWriter } from "../streams/chunk-writer.ts";
import type { EventTranslator } from "../dialect.ts";
import { truncatedResponse } from "../refusal.ts";
import type { StreamedCall } from "../upstream.ts";
import { promptBlocked, readResponse } from "./gemini-response.ts";
import { rejectFailure, toFinishReason } from "./gemini-finish.ts";
import { DeltaReader, type Delta } from "./gemini-deltas.ts";
import { higherOf, readUsage } from "./gemini-usage.ts";
import { newResponseId } from "../streams/write-completion.ts";

/**
 * Translates the events of one stream into chunks. Each event is a complete response object with part of the text. Nothing marks the
 * end, not even a finish reason: text can follow it, and some models send one with every event. So the last finish reason is held
 * back until the body ends.
 */
export class GeminiEvents implements EventTranslator {
  readonly #call: StreamedCall;
  readonly #reader: DeltaReader;
  #writer: ChunkWriter | undefined;
  #hasOutput = false;
  #finishReason: string | undefined;
  #usage: Usage | undefined;

  constructor(call: StreamedCall) {
    this.#call = call;
    this.#reader = new DeltaReader((deviation) => call.report(deviation));
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  get uncountedBytes(): number {
    return this.#writer?.uncountedBytes ?? 0;
  }

  take(event: string, chunks: string[]): boolean {
    if (event === "") return false;
    const { id, parts, finishReason, blockReason, usageMetadata } = readResponse(event);
    if (blockReason !== undefined && finishReason === undefined && !this.#hasOutput) throw promptBlocked(blockReason);
    const writer = (this.#writer ??= new ChunkWriter(this.#call.model, id ?? newResponseId()));
    for (const delta of this.#reader.take(parts)) this.#emit(delta, writer, chunks);
    this.#count(usageMetadata, writer);
    this.#finishReason = finishReason ?? blockReason ?? this.#finishReason;
    if (this.#finishReason !== undefined) rejectFailure(this.#finishReason);
    return false;
  }

  requireFinished(): void {
    if (this.#finishReason === undefined) throw truncatedResponse("the stream ended without a finish reason");
  }

  lastChunks(): readonly string[] {
    const writer = this.#writerOrNew();
    if (!this.#usage) this.#call.report("usage_missing");
    return [...this.#reader.end().map((delta) => write(delta, writer)), writer.finish(this.#upstreamReason(writer) ?? "stop")];
  }

  endEvents(usage: Usage, more: Readonly<Record<string, unknown>>): readonly string[] {
    return [this.#writerOrNew().usageChunk(usage, more)];
  }

  closingChunks(finishReason: string): string[] {
    const writer = this.#writerOrNew();
    return writer.closingChunks(this.#upstreamReason(writer) ?? finishReason);
  }

  #emit(delta: Delta, writer: ChunkWriter, chunks: string[]): void {
    this.#hasOutput = true;
    chunks.push(write(delta, writer));
  }

  /**
   * Counts are cumulative: later ones replace earlier ones, except where they are lower. Lower counts, and counts of the prompt only,
   * leave the output since then uncounted, to be estimated.
   */
  #count(metadata: unknown, writer: ChunkWriter): void {
    if (metadata === undefined) return;
    const usage = readUsage(metadata);
    if (!usage) return this.#call.report("usage_malformed");
    const before = this.#usage;
    this.#usage = before ? higherOf(before, usage) : usage;
    if (usage.completionTokens > 0 && usage.completionTokens === this.#usage.completionTokens) writer.counted();
  }

  #upstreamReason(writer: ChunkWriter): string | undefined {
    if (this.#finishReason === undefined) return undefined;
    return toFinishReason(this.#finishReason, writer.hasToolCalls, (deviation) => this.#call.report(deviation));
  }

  #writerOrNew(): ChunkWriter {
    return (this.#writer ??= new ChunkWriter(this.#call.model, newResponseId()));
  }
}

function write(delta: Delta, writer: ChunkWriter): string {
  switch (delta.kind) {
    case "text":
      return writer.text(delta.text);
    case "reasoning":
      return writer.reasoning(delta.text);
    case "signature":
      return writer.extra(delta.extraContent);
    case "call":
      return writer.toolCall(delta.call, delta.call.arguments);
  }
}
