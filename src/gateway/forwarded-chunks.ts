import type { Consumer } from "../lib/async/source.ts";
import type { ReceivedUsage, Usage } from "../money/usage.ts";
import type { ChunkStream } from "../upstreams/upstream.ts";

/** Forwards a stream to its reader. Subclasses change or copy some of it on the way. */
export class ForwardedChunks implements ChunkStream, Consumer<readonly string[]> {
  protected readonly chunks: ChunkStream;
  #consumer: Consumer<readonly string[]> | undefined;

  constructor(chunks: ChunkStream) {
    this.chunks = chunks;
  }

  get usage(): Usage | undefined {
    return this.chunks.usage;
  }

  get uncountedBytes(): number {
    return this.chunks.uncountedBytes;
  }

  get toolCalls(): ReceivedUsage["toolCalls"] {
    return this.chunks.toolCalls;
  }

  get multipliers(): ReceivedUsage["multipliers"] {
    return this.chunks.multipliers;
  }

  get isOutputUncounted(): boolean {
    return this.chunks.isOutputUncounted ?? false;
  }

  read(consumer: Consumer<readonly string[]>): void {
    this.#consumer = consumer;
    this.chunks.read(this);
  }

  take(chunks: readonly string[]): void {
    this.#consumer!.take(chunks);
  }

  end(): void {
    this.#consumer!.end();
  }

  fail(error: unknown): void {
    this.#consumer!.fail(error);
  }

  endEvents(usage: Usage, more: Readonly<Record<string, unknown>>): readonly string[] {
    return this.chunks.endEvents(usage, more);
  }

  stop(): readonly string[] {
    return this.chunks.stop();
  }

  cancel(): void {
    this.chunks.cancel();
  }
}
