import type { Exchange } from "../http/endpoint.ts";
import { toApiError } from "../http/error-reply.ts";
import type { StreamBody, BodyWriter } from "../lib/http1/server/reply.ts";
import type { RequestNotes, StreamEnd } from "../requests/request-notes.ts";

/** The idle timeout of a reader, in seconds. */
const READER_IDLE_TIMEOUT_SECONDS = 120;

/**
 * A long text as a streamed reply body: a slow or disconnected reader costs one chunk of memory. If the text cannot be completed, the
 * connection is closed, so that a truncated reply does not look complete.
 */
export class TextStream implements StreamBody {
  readonly #pieces: AsyncGenerator<string, void>;
  readonly #notes: RequestNotes;
  readonly #ended = Promise.withResolvers<void>();

  constructor(pieces: AsyncGenerator<string, void>, exchange: Exchange) {
    this.#pieces = pieces;
    this.#notes = exchange.notes;
    exchange.ends = this.#ended.promise;
    exchange.setIdleTimeout(READER_IDLE_TIMEOUT_SECONDS);
  }

  writeTo(writer: BodyWriter): void {
    void this.#writeTo(writer);
  }

  cancel(): void {
    this.#end("caller_gone");
    void this.#pieces.return();
  }

  async #writeTo(writer: BodyWriter): Promise<void> {
    try {
      for await (const piece of this.#pieces) {
        // The reader may have disconnected meanwhile.
        if (this.#notes.end !== undefined) return;
        this.#notes.replyBytes += writer.write(piece);
        if (!writer.isDrained) await writer.drained();
      }
      if (this.#notes.end !== undefined) return;
      writer.end();
      this.#end("complete");
    } catch (error) {
      if (this.#notes.end !== undefined) return;
      toApiError(error, this.#notes);
      this.#end("failed");
      writer.abort();
    }
  }

  #end(how: StreamEnd): void {
    this.#notes.end ??= how;
    this.#ended.resolve();
  }
}
