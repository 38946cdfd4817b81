import type { Timeouts } from "../vocabulary/upstream-settings.ts";
import { send } from "./send.ts";

/** Far more than a key set or a token takes. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * `fetch` for a library that makes its own requests and is to go out as everything does, by `send`. The answer is whole when
 * it is given: the timeout is for all of it.
 */
export function plainFetch(timeoutMs = 10_000): (url: string, init: RequestInit) => Promise<Response> {
  const timeouts: Timeouts = { connectMs: timeoutMs, firstByteMs: timeoutMs, betweenChunksMs: timeoutMs, totalMs: timeoutMs };
  return async (url, init) => {
    const reply = await send({
      url,
      headers: Object.fromEntries(new Headers(init.headers).entries()),
      ...(init.body != null && { body: await new Response(init.body).text() }),
      signal: init.signal ?? new AbortController().signal,
      timeouts,
      streaming: false,
    });
    const text = await reply.text(MAX_BODY_BYTES);
    return new Response(text || null, { status: reply.status, headers: reply.headers });
  };
}
