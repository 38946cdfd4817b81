import type { Exchange } from "../http/endpoint.ts";
import { toGatewayError } from "../http/error-reply.ts";
import type { StreamEnd } from "../vocabulary/request-notes.ts";

/** How long a reader may take nothing, in seconds. */
const PATIENCE_SECONDS = 120;

const utf8 = new TextEncoder();

/**
 * A long text as the body of a reply, made as it is read: a reader who is slow, or leaves, costs one piece of memory. Where it cannot
 * be made to the end the connection is cut, so that nothing cut short looks whole.
 */
export function textStream(pieces: AsyncGenerator<string, void>, exchange: Exchange): ReadableStream<Uint8Array> | null {
  // It has no body, and nobody would ever read it.
  if (exchange.request.method === "HEAD") return null;
  const { notes } = exchange;
  const ended = Promise.withResolvers<void>();
  exchange.ends = ended.promise;
  exchange.allowSilence(PATIENCE_SECONDS);
  const end = (how: StreamEnd): void => {
    notes.end = how;
    ended.resolve();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        // The reader may have left meanwhile.
        if (notes.end !== undefined) return;
        if (done) {
          controller.close();
          return end("complete");
        }
        const bytes = utf8.encode(value);
        notes.replyBytes += bytes.byteLength;
        controller.enqueue(bytes);
      } catch (error) {
        if (notes.end !== undefined) return;
        toGatewayError(error, notes);
        end("failed");
        throw error;
      }
    },
    async cancel() {
      end("caller_gone");
      await pieces.return();
    },
  });
}
