/**
 * A server that closes an idle connection while a request is on its way is noticed within a round trip. This is more than any round
 * trip, and less than the idle timeouts of proxies (30 s and more), which close connections whose request the server still works on.
 */
const RACE_MS = 15_000;

/**
 * Whether a request that failed on a reused connection may be sent again, on a new one. It may where nothing was sent, and where the
 * connection closed before the first byte of a reply: servers close connections that they have announced to keep. llama.cpp does so
 * after each stream: it shuts its side down right after the last chunk, in spite of `Keep-Alive: timeout=5`, and discards what
 * it receives from then on.
 *
 * RFC 9110 §9.2.2 permits this for a POST only where it is known that the server has not applied it. That is not certain, but a
 * close this early is almost always the race of RFC 9112 §9.5. curl, Chrome and Firefox resend then too. At worst the upstream
 * does the work twice; the caller is charged once.
 */
export function mayResend(
  exchange: { readonly wasSent: boolean; readonly hasReceived: boolean },
  request: { readonly startsWork: boolean; readonly afterMs: number },
): boolean {
  if (!exchange.wasSent) return true;
  return !exchange.hasReceived && (!request.startsWork || request.afterMs < RACE_MS);
}
