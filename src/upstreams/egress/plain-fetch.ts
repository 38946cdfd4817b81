import { toByteText } from "../../lib/text/byte-text.ts";
import type { Timeouts } from "../../models/upstream-settings.ts";
import { Destination } from "./destination.ts";
import { send } from "./send.ts";

/** Far more than a key set or a token takes. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * `fetch` for a library that makes its own requests and is to go out as everything does, by `send`. The answer is whole when
 * it is given: the timeout is for all of it. `named` is the address that the operator has named. It may be private, as many a
 * company's sign-in is; what its answers name in turn may be private only at the same place.
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
