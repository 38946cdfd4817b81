import type { Exchange } from "../../http/endpoint.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import type { Headroom } from "../../money/headroom.ts";
import { checkBeforeBody } from "./pre-check.ts";
import { inDollars } from "../admission/insufficient-credit.ts";
import type { Gateway } from "../gateway.ts";
import { readChat } from "./read-chat.ts";

/** When the body of another request may have been received. */
const RETRY_SECONDS = 1;

/**
 * The request's body, checked. One that is still to be received could take `TOLLGATE_MAX_BODY_BYTES` of memory for as long as an upload
 * may take, so whether it can come to anything is decided first. Most come with their headers: they are in memory already, and `admit`,
 * which knows their model, decides.
 */
export function receiveChat(caller: KeyRecord, exchange: Exchange, gateway: Gateway): Promise<ChatRequest> | ChatRequest {
  const usedUp = exchange.request.isReceived ? undefined : checkBeforeBody(caller, exchange.request.headers, gateway);
  return usedUp ? receiveOneAtATime(usedUp, caller, exchange, gateway) : readChat(exchange, gateway);
}

/** A caller who cannot pay may call a free model, and have one body in memory for it. */
async function receiveOneAtATime(usedUp: Headroom, caller: KeyRecord, exchange: Exchange, gateway: Gateway): Promise<ChatRequest> {
  const { unpaidUploads, bodies } = gateway;
  const payer = usedUp.purse!.scope === "key" ? `key ${caller.id}` : `account ${caller.accountId}`;
  if (unpaidUploads.has(payer)) {
    bodies.noteRejected("one_at_a_time");
    throw uploadInProgress(usedUp);
  }
  unpaidUploads.add(payer);
  try {
    return await readChat(exchange, gateway);
  } finally {
    unpaidUploads.delete(payer);
  }
}

/** Clients retry a 429, and a free model may well be what is asked for. */
function uploadInProgress({ name, leftNanos }: Headroom): GatewayError {
  const why = `${name} has ${inDollars(leftNanos)} left, and without credit one request body is received at a time`;
  const message = `Another request body is being received: ${why}. Please try again in ${RETRY_SECONDS}s.`;
  return new GatewayError("rate_limit_exceeded", message, { retryAfterSeconds: RETRY_SECONDS, detail: message });
}
