import type { Usage } from "../../money/usage.ts";
import { ChunkWriter } from "../streams/chunk-writer.ts";
import type { EventTranslator } from "../dialect.ts";
import { brokeOff } from "../refusal.ts";
import type { StreamedCall } from "../upstream.ts";
import { newAnswerId, promptBlocked, readAnswer } from "./gemini-response.ts";
import { requireAnswer, toFinishReason } from "./gemini-finish.ts";
import { PieceReader, type Piece } from "./gemini-deltas.ts";
import { higherOf, readUsage } from "./gemini-usage.ts";

/**
 * Turns the events of one stream into chunks. Each event is an answer of its own with a piece of the text. Nothing marks the
 * end, and a finish reason does not either: text can follow it, and some models give one with every event. So the last one is
 * held back until the body ends.
 */
export class GeminiEvents implements EventTranslator {
  readonly #call: StreamedCall;
  readonly #reader: PieceReader;
  #writer: ChunkWriter | undefined;
  #hasSpoken = false;
  #finishReason: string | undefined;
  #usage: Usage | undefined;

  constructor(call: StreamedCall) {
    this.#call = call;
    this.#reader = new PieceReader((deviation) => call.report(deviation));
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  get uncountedBytes(): number {
    return this.#writer?.uncountedBytes ?? 0;
  }

  take(event: string, chunks: string[]): boolean {
    if (event === "") return false;
    const { id, parts, finishReason, blockReason, usageMetadata } = readAnswer(event);
    if (blockReason !== undefined && finishReason === undefined && !this.#hasSpoken) throw promptBlocked(blockReason);
    const writer = (this.#writer ??= new ChunkWriter(this.#call.chat.model, id ?? newAnswerId()));
    for (const piece of this.#reader.take(parts)) this.#say(piece, writer, chunks);
    this.#count(usageMetadata, writer);
    this.#finishReason = finishReason ?? blockReason ?? this.#finishReason;
    if (this.#finishReason !== undefined) requireAnswer(this.#finishReason);
    return false;
  }

  requireFinished(): void {
    if (this.#finishReason === undefined) throw brokeOff("the stream ended without a finish reason");
  }

  lastChunks(): readonly string[] {
    const writer = this.#writerAtHand();
    if (!this.#usage) this.#call.report("usage_missing");
    return [...this.#reader.end().map((piece) => write(piece, writer)), writer.finish(this.#ownReason(writer) ?? "stop")];
  }

  usageChunk(usage: Usage, more: Readonly<Record<string, unknown>>): string {
    return this.#writerAtHand().usageChunk(usage, more);
  }

  closingChunks(finishReason: string): string[] {
    const writer = this.#writerAtHand();
    return writer.closingChunks(this.#ownReason(writer) ?? finishReason);
  }

  #say(piece: Piece, writer: ChunkWriter, chunks: string[]): void {
    this.#hasSpoken = true;
    chunks.push(write(piece, writer));
  }

  /**
   * Counts are of everything so far, so that the last ones hold, but for those that are lower than before. These, and those of
   * the prompt alone, leave the answer uncounted.
   */
  #count(metadata: unknown, writer: ChunkWriter): void {
    if (metadata === undefined) return;
    const usage = readUsage(metadata);
    if (!usage) return this.#call.report("usage_malformed");
    const before = this.#usage;
    this.#usage = before ? higherOf(before, usage) : usage;
    if (usage.completionTokens > 0 && usage.completionTokens === this.#usage.completionTokens) writer.counted();
  }

  #ownReason(writer: ChunkWriter): string | undefined {
    if (this.#finishReason === undefined) return undefined;
    return toFinishReason(this.#finishReason, writer.hasToolCalls, (deviation) => this.#call.report(deviation));
  }

  #writerAtHand(): ChunkWriter {
    return (this.#writer ??= new ChunkWriter(this.#call.chat.model, newAnswerId()));
  }
}

function write(piece: Piece, writer: ChunkWriter): string {
  switch (piece.kind) {
    case "text":
      return writer.text(piece.text);
    case "reasoning":
      return writer.reasoning(piece.text);
    case "signature":
      return writer.extra(piece.extraContent);
    case "call":
      return writer.toolCall(piece.call, piece.call.arguments);
  }
}
