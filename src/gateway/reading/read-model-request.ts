import type { Exchange } from "../../http/endpoint.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { Headroom } from "../../money/headroom.ts";
import { parseJson, receiveBody, requireJson } from "../../http/read-json.ts";
import { truncate } from "../../lib/text/truncate.ts";
import type { CallerFormat, ModelRequest } from "../formats/caller-format.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Gateway } from "../gateway.ts";
import { describeRemaining } from "../admission/headroom.ts";

/** The CPU time of a smaller body is not measured: it is about as low as the CPU time of its connection. */
const LARGE_BODY_BYTES = 64 * 1024;

/** Model names in requests may have any length; notes store at most this many characters. */
const MAX_NAME_LENGTH = 200;

/** Receives and validates the body. `exhausted` is the credit or spend cap that is too low for the request, as returned by `preCheck`. */
export function readModelRequest(
  format: CallerFormat,
  caller: KeyRecord,
  exhausted: Headroom | undefined,
  exchange: Exchange,
  gateway: Gateway,
): Promise<ModelRequest> | ModelRequest {
  return exhausted ? readUnpaid(format, exhausted, caller, exchange, gateway) : readBody(format, exchange, gateway);
}

function readBody(format: CallerFormat, exchange: Exchange, gateway: Gateway): Promise<ModelRequest> | ModelRequest {
  // `TOLLGATE_UPLOAD_SECONDS` bounds the whole upload; the client receives its timeout as a reply.
  exchange.setIdleTimeout(0);
  requireJson(exchange.request.headers, "assumed");
  const bytes = receiveBody(exchange.request, gateway.maxBodyBytes);
  return bytes instanceof Promise ? validateAfter(format, bytes, exchange) : validate(format, bytes, exchange);
}

async function validateAfter(format: CallerFormat, receiving: Promise<Buffer>, exchange: Exchange): Promise<ModelRequest> {
  return validate(format, await receiving, exchange);
}

function validate(format: CallerFormat, bytes: Buffer, { request, notes }: Exchange): ModelRequest {
  const startedAt = performance.now();
  let modelRequest: ModelRequest;
  try {
    const body = parseJson(bytes);
    notes.receivedAt = performance.now();
    notes.requestBytes = body.bytes;
    modelRequest = format.read(body, request.headers);
  } finally {
    if (bytes.byteLength >= LARGE_BODY_BYTES) notes.readingMs = performance.now() - startedAt;
  }
  notes.requestedModel = truncate(modelRequest.model, MAX_NAME_LENGTH);
  notes.isStream = modelRequest.stream;
  return modelRequest;
}

/** The suggested wait before a retry: by then, the other upload has probably ended. */
const RETRY_SECONDS = 1;

/** A payer without credit may still call a free model, but may have only one upload in flight. */
async function readUnpaid(
  format: CallerFormat,
  exhausted: Headroom,
  caller: KeyRecord,
  exchange: Exchange,
  gateway: Gateway,
): Promise<ModelRequest> {
  const { unpaidUploads, bodies } = gateway;
  const payer = exhausted.spendLimit!.scope === "key" ? `key ${caller.id}` : `account ${caller.accountId}`;
  if (unpaidUploads.has(payer)) {
    bodies.noteRejected("one_at_a_time");
    throw uploadInProgress(exhausted);
  }
  unpaidUploads.add(payer);
  try {
    return await readBody(format, exchange, gateway);
  } finally {
    unpaidUploads.delete(payer);
  }
}

/** A 429 and not a 402: clients retry a 429, and the request may be for a free model. */
function uploadInProgress(exhausted: Headroom): ApiError {
  const reason = `${describeRemaining(exhausted)}, and without credit one request body is received at a time`;
  const message = `Another request body is being received: ${reason}. Please try again in ${RETRY_SECONDS}s.`;
  return new ApiError("rate_limit_exceeded", message, { retryAfterSeconds: RETRY_SECONDS, detail: message });
}
