import { toByteText } from "../../lib/text/byte-text.ts";
import type { Timeouts } from "../../models/timeouts.ts";
import { Destination } from "./destination.ts";
import { send } from "./send.ts";

/** The largest response: far more than a key set or a token needs. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * `fetch` for a library that makes its own requests, through `send` and its SSRF checks. The response is complete when it is
 * returned: the timeout covers all of it. `named` is the URL that the operator configured. It may be private, as identity providers
 * often are; URLs from its responses may be private only at the same origin.
 */
export function plainFetch(named: string, timeoutMs = 10_000): (url: string, init: RequestInit) => Promise<Response> {
  const timeouts: Timeouts = { connectMs: timeoutMs, firstByteMs: timeoutMs, betweenChunksMs: timeoutMs, totalMs: timeoutMs };
  const destinations = new Map<string, Destination>();
  return async (text, init) => {
    const { origin, pathname, search } = new URL(text);
    const destination = destinations.get(origin) ?? new Destination({ baseUrl: origin, allowPrivate: origin === new URL(named).origin });
    destinations.set(origin, destination);
    const reply = await send({
      destination,
      path: pathname + search,
      headers: Object.fromEntries(new Headers(init.headers).entries()),
      ...(init.body != null && { body: [toByteText(await new Response(init.body).text())] }),
      signal: init.signal ?? new AbortController().signal,
      timeouts,
      streaming: false,
    });
    const body = await reply.text(MAX_BODY_BYTES);
    return new Response(body || null, { status: reply.status, headers: [...reply.headers] });
  };
}
