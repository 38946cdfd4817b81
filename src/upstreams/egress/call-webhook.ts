import { toByteText } from "../../lib/text/byte-text.ts";
import { CallerGone } from "../../requests/caller-gone.ts";
import type { Timeouts } from "../../models/upstream-settings.ts";
import type { CallWebhook, WebhookAnswer, WebhookCall } from "../../alerts/webhook-call.ts";
import { Destination } from "./destination.ts";
import { explainFailure } from "./explain-failure.ts";
import { readRetryAfter } from "../refusal.ts";
import { send, type UpstreamReply } from "./send.ts";

/**
 * Calls webhooks as everything is called, by `send`. Each call looks the name up and checks what it leads to: there are few, and
 * whoever owns a name must not lead the second one elsewhere.
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
  const { origin, pathname } = new URL(url);
  const destination = new Destination({ baseUrl: origin, allowPrivate });
  const request = { path: pathname, headers: { "user-agent": "Tollgate", ...headers }, body: [toByteText(body)] };
  return send({ ...request, destination, signal, timeouts, streaming: false });
}

/** The status says it all. What else it has to say is not waited for: it could go on for ever. */
function read(reply: UpstreamReply): WebhookAnswer {
  const { status, headers } = reply;
  reply.cancel();
  return { status, problem: problemOf(status), retryAfterMs: readRetryAfter(headers) ?? null };
}

function problemOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `It answered with status ${status}: a redirect, which is not followed.`;
  return status === 410 ? "It answered with status 410: it is gone for good." : `It answered with status ${status}.`;
}
