import { toByteText } from "../../lib/text/byte-text.ts";
import { CallerGone } from "../../lib/async/caller-gone.ts";
import type { Timeouts } from "../../models/timeouts.ts";
import type { CallWebhook, WebhookAnswer, WebhookCall } from "../../alerts/webhook-call.ts";
import { Destination } from "./destination.ts";
import { explainFailure } from "./explain-failure.ts";
import { readRetryAfter } from "../refusal.ts";
import { send, type UpstreamReply } from "./send.ts";

/**
 * Calls webhooks through `send`, with its SSRF checks. Each call resolves the name again and checks the addresses: calls are rare, and
 * the owner of a name must not be able to redirect a later call into a private network.
 */
export function webhookCaller(timeoutMs = 10_000): CallWebhook {
  const timeouts: Timeouts = { connectMs: timeoutMs, firstByteMs: timeoutMs, betweenChunksMs: timeoutMs, totalMs: timeoutMs };
  return async (call, signal) => {
    try {
      return read(await sendTo(call, timeouts, signal));
    } catch (error) {
      if (error instanceof CallerGone) throw error;
      return { status: null, problem: explainFailure(error), retryAfterMs: null };
    }
  };
}

function sendTo({ url, allowPrivate, headers, body }: WebhookCall, timeouts: Timeouts, signal: AbortSignal): Promise<UpstreamReply> {
  const { origin, pathname, search } = new URL(url);
  const destination = new Destination({ baseUrl: origin, allowPrivate });
  const request = { path: pathname + search, headers: { "user-agent": "Tollgate", ...headers }, body: [toByteText(body)] };
  return send({ ...request, destination, signal, timeouts, streaming: false });
}

/** Only the status matters. The body is not read: it could be endless. */
function read(reply: UpstreamReply): WebhookAnswer {
  const { status, headers } = reply;
  reply.cancel();
  return { status, problem: problemOf(status), retryAfterMs: readRetryAfter(headers) ?? null };
}

function problemOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `It returned status ${status}: a redirect, which is not followed.`;
  return status === 410 ? "It returned status 410: the webhook is gone permanently." : `It returned status ${status}.`;
}
