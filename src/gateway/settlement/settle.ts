import { CallerGone } from "../../lib/async/caller-gone.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { RequestNotes } from "../../requests/request-notes.ts";
import type { SettleEntry } from "../../money/ledger-entry.ts";
import type { ReceivedUsage, CountedUsage } from "../../money/usage.ts";
import type { IdempotentReply } from "../../stores/ledger/ledger-store.ts";
import type { Admission } from "../admission/admission.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import { DeadlineExceeded } from "../routing/caller-deadline.ts";

/*
 * Settlement: the only file that ends an `Admission`, by a charge or by a release.
 *
 * Durable before visible: the client sees the end of a response (a JSON body, `[DONE]` or an error frame) only after the charge for it
 * is durable. Every function below that charges returns a promise; its caller awaits it before it sends that end.
 */

/** The dependencies for settling a stream. They do not reference the request: a long stream must not keep its prompt in memory. */
export interface SettlementContext {
  readonly admission: Admission;
  readonly notes: RequestNotes;
}

/** The reply that is stored together with the charge, for a replay under the same idempotency key. */
type ToIdempotentReply = (entry: SettleEntry) => IdempotentReply;

const NOTHING_RECEIVED: ReceivedUsage = { usage: undefined, uncountedBytes: 0 };

/** The prompt estimate if the client does not pay for the prompt. */
const FREE_PROMPT = 0;

/** How a successful response ended. */
export type ResponseEnd = "complete" | "stopped at x-max-cost" | "the client disconnected before the end";

/** Settles a complete JSON response. */
export function settleJson(
  admission: Admission,
  counted: CountedUsage,
  ending: ResponseEnd,
  reply?: ToIdempotentReply,
): Promise<SettleEntry | undefined> {
  return admission.settle(counted, ending, reply);
}

/** Settles a stream that has ended. Resolves with undefined if its admission had already ended. */
export function settleStream(
  settling: SettlementContext,
  counted: CountedUsage,
  ending: ResponseEnd,
  reply?: ToIdempotentReply,
): Promise<SettleEntry | undefined> {
  return charge(settling, counted, ending, reply);
}

/**
 * Settles a stream that failed. If the upstream is at fault, the client pays for the received output, and for the prompt only if the
 * upstream has counted it; a stream without output costs nothing. A client could make every upstream fail by not reading, so a failure
 * under back-pressure is charged like a disconnect. A request that the upstream rejects mid-stream pays for its prompt. Otherwise a request that
 * fills the context, or triggers a content filter, would be free.
 */
export async function settleStreamFailure(
  settling: SettlementContext,
  error: unknown,
  received: ReceivedUsage = NOTHING_RECEIVED,
  mayBeBackPressure = false,
): Promise<void> {
  const { admission } = settling;
  const interruption = interruptionOf(error);
  if (interruption !== undefined) return settleInterrupted(settling, interruption, received);
  if (mayBeBackPressure) return settleInterrupted(settling, "the upstream failed while the client was not reading", received);
  // A failure inside Tollgate, such as a ledger that cannot be written, is not the upstream's fault.
  admission.hasUpstreamFailed = error instanceof ApiError && error.fault !== undefined && error.fault.kind !== "unsupported";
  const isRequestRejected = error instanceof ApiError && error.status === 400;
  const reason = isRequestRejected ? "the upstream rejected the request mid-stream" : "the upstream failed mid-stream";
  const counted = admission.count(received, false, isRequestRejected ? undefined : FREE_PROMPT);
  if (counted.usage.completionTokens === 0) admission.release(reason);
  else await charge(settling, counted, reason);
}

/** Settles a stream whose client disconnected and whose call is cancelled. */
export function settleDisconnect(settling: SettlementContext, received: ReceivedUsage = NOTHING_RECEIVED): Promise<void> {
  return settleInterrupted(settling, CLIENT_DISCONNECTED, received);
}

/** Settles a request that failed before any part of a response was sent. */
export function settleFailure({ admission, exchange, modelRequest }: AdmittedRequest, error: unknown): void {
  const collected = modelRequest.relayed?.collected;
  if (collected && collected.share > 0) {
    // The parts of a batch that have succeeded are paid for.
    admission.upstream ??= admission.lastUpstream;
    const counted = admission.count(collected, false, Math.ceil(admission.promptEstimate * collected.share));
    const paid = charge({ admission, notes: exchange.notes }, counted, "a part of the batch failed");
    exchange.ends = paid.then(nothing, nothing);
    return;
  }
  const interruption = interruptionOf(error);
  if (interruption === undefined) return admission.release(error instanceof ApiError ? error.code : "internal_error");
  if (admission.upstream === undefined) return admission.release(interruption);
  const settled = settleInterrupted({ admission, notes: exchange.notes }, interruption, NOTHING_RECEIVED);
  // The log, metrics and traces report the charge, so the request ends when the charge is known. If the ledger is closed, the charge is
  // made at the next start.
  exchange.ends = settled.catch(() => undefined);
}

/**
 * Settles a request whose client did not wait. The client pays at least for the prompt, which the upstream has read, and for nothing
 * between two attempts. Hidden output is charged after a disconnect, never after a failure of the upstream, and after a timeout only if the
 * call does not go on.
 */
async function settleInterrupted(settling: SettlementContext, reason: string, received: ReceivedUsage): Promise<void> {
  const { admission } = settling;
  if (admission.upstream === undefined) return admission.release(reason);
  const mayHideOutput = reason === CLIENT_DISCONNECTED || (reason === TIMEOUT_EXCEEDED && !admission.isReadOn);
  const counted = mayHideOutput ? admission.countInterrupted(received) : admission.count(received, false);
  await charge(settling, counted, reason);
}

async function charge(
  { admission, notes }: SettlementContext,
  counted: CountedUsage,
  reason: string,
  reply?: ToIdempotentReply,
): Promise<SettleEntry | undefined> {
  const entry = await admission.settle(counted, reason, reply);
  if (entry) notes.charge = entry;
  return entry;
}

function nothing(): void {
  // If the ledger is closed, the charge is made at the next start.
}

const CLIENT_DISCONNECTED = "the client disconnected";
const TIMEOUT_EXCEEDED = "the client's timeout was exceeded";

/** Why the client stopped waiting, as the ledger records it; undefined for every other error. */
function interruptionOf(error: unknown): string | undefined {
  if (error instanceof DeadlineExceeded) return TIMEOUT_EXCEEDED;
  return error instanceof CallerGone ? CLIENT_DISCONNECTED : undefined;
}
