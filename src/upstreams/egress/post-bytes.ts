import { next } from "../../lib/async/source.ts";
import { Destination } from "./destination.ts";
import { send } from "./send.ts";

/** The most bytes of a reply that are read: more than a collector's reply to an export needs. */
const MAX_REPLY_BYTES = 64 * 1024;

/** The response, with the start of its body. */
interface BytesReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export type PostBytes = (headers: Readonly<Record<string, string>>, body: Uint8Array, signal: AbortSignal) => Promise<BytesReply>;

/** Posts bytes through `send` to a URL that the operator configured, which may be private. */
export function postBytesTo(url: string, timeoutMs: number): PostBytes {
  const { origin, pathname } = new URL(url);
  const destination = new Destination({ baseUrl: origin, allowPrivate: true });
  const timeouts = { connectMs: timeoutMs, firstByteMs: timeoutMs, betweenChunksMs: timeoutMs, totalMs: timeoutMs };
  return async (headers, body, signal) => {
    const reply = await send({ destination, path: pathname, headers, body, signal, timeouts, streaming: false });
    const chunks: Uint8Array[] = [];
    for (let bytes = 0; bytes < MAX_REPLY_BYTES;) {
      const chunk = await next(reply);
      if (!chunk) return { status: reply.status, headers: new Headers([...reply.headers]), body: Buffer.concat(chunks) };
      chunks.push(chunk);
      bytes += chunk.byteLength;
    }
    reply.cancel();
    return { status: reply.status, headers: new Headers([...reply.headers]), body: Buffer.concat(chunks) };
  };
}
