import type { Exchange } from "../../http/endpoint.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Headroom } from "../../money/headroom.ts";
import { describeRemaining } from "../admission/insufficient-credit.ts";
import type { Gateway } from "../gateway.ts";

/** An upload is likely to have ended by then. */
const RETRY_SECONDS = 1;

type ReadBody = (exchange: Exchange, gateway: Gateway) => Promise<ChatRequest> | ChatRequest;

/** A payer without credit may call a free model, and may have one upload in flight for it. */
export async function readUnpaid(
  exhausted: Headroom,
  caller: KeyRecord,
  exchange: Exchange,
  gateway: Gateway,
  readBody: ReadBody,
): Promise<ChatRequest> {
  const { unpaidUploads, bodies } = gateway;
  const payer = exhausted.spendLimit!.scope === "key" ? `key ${caller.id}` : `account ${caller.accountId}`;
  if (unpaidUploads.has(payer)) {
    bodies.noteRejected("one_at_a_time");
    throw uploadInProgress(exhausted);
  }
  unpaidUploads.add(payer);
  try {
    return await readBody(exchange, gateway);
  } finally {
    unpaidUploads.delete(payer);
  }
}

/** A 429, because clients retry it, and the request may be for a free model. */
function uploadInProgress(exhausted: Headroom): ApiError {
  const reason = `${describeRemaining(exhausted)}, and without credit one request body is received at a time`;
  const message = `Another request body is being received: ${reason}. Please try again in ${RETRY_SECONDS}s.`;
  return new ApiError("rate_limit_exceeded", message, { retryAfterSeconds: RETRY_SECONDS, detail: message });
}
