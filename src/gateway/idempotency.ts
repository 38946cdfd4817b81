import { type RequestIdentity, IdempotencyLock } from "./idempotency-lock.ts";
import type { Exchange } from "../http/endpoint.ts";
import type { Claim } from "../stores/claims/claim-store.ts";
import type { IdempotentReply } from "../stores/ledger/ledger-store.ts";
import type { KeyRecord } from "../access/api-key.ts";
import type { CallerFormat, ModelRequest } from "./formats/caller-format.ts";
import { ApiError } from "../requests/api-error.ts";
import { formatDollars } from "../money/money.ts";
import { reauthenticate } from "./authentication.ts";
import type { Gateway } from "./gateway.ts";
import { DeadlineExceeded, readTimeout, withinDeadline } from "./routing/caller-deadline.ts";
import { Reply } from "../lib/http1/server/reply.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";

/** Serves a request for the first time. One function for all requests: a closure for each would be allocated per request. */
type Serve = (
  caller: KeyRecord,
  modelRequest: ModelRequest,
  exchange: Exchange,
  gateway: Gateway,
  lock: IdempotencyLock | undefined,
) => Promise<Reply>;

/**
 * Idempotency: under the same `Idempotency-Key` the same body is served, and charged, once. A retry receives the stored reply; a
 * concurrent duplicate waits for the request in flight. Failures are not stored, so that a retry can succeed.
 */
export function replayOrServe(
  caller: KeyRecord,
  modelRequest: ModelRequest,
  exchange: Exchange,
  gateway: Gateway,
  serve: Serve,
): Promise<Reply> {
  const timeoutMs = readTimeout(exchange.request.headers, modelRequest);
  const identity = identityOf(caller, modelRequest, exchange.request.headers);
  return identity
    ? replayOrLock(identity, timeoutMs, caller, modelRequest, exchange, gateway, serve)
    : serve(caller, modelRequest, exchange, gateway, undefined);
}

async function replayOrLock(
  identity: RequestIdentity,
  timeoutMs: number | undefined,
  caller: KeyRecord,
  modelRequest: ModelRequest,
  exchange: Exchange,
  gateway: Gateway,
  serve: Serve,
): Promise<Reply> {
  const found = await findReplyOrClaim(identity, caller, exchange, gateway);
  if (!("release" in found)) return replay(found, exchange);
  const lock = new IdempotencyLock(identity, found, exchange.requestId, gateway.nowMs(), exchange.request.signal);
  gateway.idempotencyLocks.add(lock);
  void lock.released.then(() => gateway.idempotencyLocks.delete(lock));
  const replying = serve(caller, modelRequest, exchange, gateway, lock).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  return withinDeadline(replying, timeoutMs, exchange.startedAtMs).catch((error: unknown) => {
    if (error instanceof DeadlineExceeded) {
      lock.timeOut();
      exchange.ends = completedInBackground(replying, lock, exchange);
      exchange.keepBodyUntil(replying);
    }
    throw error;
  });
}

/** Returns the stored reply, or a claim to serve the request. Waits while another request is in flight under the idempotency key. */
async function findReplyOrClaim(
  identity: RequestIdentity,
  caller: KeyRecord,
  exchange: Exchange,
  gateway: Gateway,
): Promise<IdempotentReply | Claim> {
  for (;;) {
    const claimed = await gateway.claims.claim(identity.scope, identity.digest, exchange.requestId);
    if ("release" in claimed) return releaseClaimIfStored(claimed, identity, caller, exchange, gateway);
    // A request with another body also has the claim for a moment before it is rejected, so the stored reply is looked up even while there
    // is a claim.
    const stored = await findStored(identity, caller, exchange, gateway);
    if (stored) return stored;
    refuseOtherBody(claimed, identity.digest);
    await claimed.released;
  }
}

/** Returns the claim if no reply is stored. Otherwise, releases the claim and returns the reply. */
async function releaseClaimIfStored(
  claim: Claim,
  identity: RequestIdentity,
  caller: KeyRecord,
  exchange: Exchange,
  gateway: Gateway,
): Promise<IdempotentReply | Claim> {
  try {
    const stored = await findStored(identity, caller, exchange, gateway);
    if (!stored) return claim;
    await claim.release();
    return stored;
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/**
 * The stored reply, if any. The key is authenticated again first, because the upload, or the wait for the request in flight, may have taken
 * a while.
 */
async function findStored(
  { scope, digest }: RequestIdentity,
  caller: KeyRecord,
  exchange: Exchange,
  gateway: Gateway,
): Promise<IdempotentReply | undefined> {
  const stored = await gateway.ledger.findReply(scope, gateway.nowMs());
  reauthenticate(caller, exchange, gateway);
  if (stored) refuseUnlessReplayable(stored, digest);
  return stored;
}

/**
 * Waits for the response of a client that has received a timeout. The charge is known when the response is complete and stored for the
 * retry.
 */
async function completedInBackground(replying: Promise<Reply>, lock: IdempotencyLock, { notes }: Exchange): Promise<void> {
  await Promise.allSettled([replying, lock.released]);
  // No part of the reply was sent.
  notes.replyBytes = 0;
  notes.end = undefined;
}

/** The stored reply to a request with the same idempotency key. Throws if the stored request, or a request in flight, had another body. */
export async function findEarlier(
  caller: KeyRecord,
  modelRequest: ModelRequest,
  headers: HeaderFields,
  { claims, ledger, nowMs }: Gateway,
): Promise<IdempotentReply | undefined> {
  const identity = identityOf(caller, modelRequest, headers);
  if (!identity) return undefined;
  const { scope, digest } = identity;
  const inFlight = await claims.find(scope);
  const stored = await ledger.findReply(scope, nowMs());
  if (stored) refuseUnlessReplayable(stored, digest);
  else if (inFlight) refuseOtherBody(inFlight, digest);
  return stored;
}

/** Whether there is a stored reply, or a request in flight, with the `Idempotency-Key` of these headers, whatever its body. */
export async function hasEarlier(
  caller: KeyRecord,
  headers: HeaderFields,
  format: CallerFormat,
  { claims, ledger, nowMs }: Gateway,
): Promise<boolean> {
  const key = readIdempotencyKey(headers);
  if (key === undefined) return false;
  const scope = scopeOf(caller, key, format);
  return (await claims.find(scope)) !== undefined || (await ledger.findReply(scope, nowMs())) !== undefined;
}

function identityOf(caller: KeyRecord, modelRequest: ModelRequest, headers: HeaderFields): RequestIdentity | undefined {
  const idempotencyKey = readIdempotencyKey(headers);
  if (idempotencyKey === undefined) return undefined;
  return {
    scope: scopeOf(caller, idempotencyKey, modelRequest.format),
    digest: new Bun.CryptoHasher("sha256").update(modelRequest.byteText, "latin1").digest("hex"),
  };
}

/** The same key at another endpoint is another request. An idempotency key has no spaces, so that the scopes differ. */
function scopeOf(caller: KeyRecord, idempotencyKey: string, { name }: CallerFormat): string {
  return name === "chat" ? `${caller.id}:${idempotencyKey}` : `${caller.id}:${name} ${idempotencyKey}`;
}

function refuseOtherBody(earlier: { readonly digest: string }, digest: string): void {
  if (earlier.digest === digest) return;
  throw refusal("This Idempotency-Key was used with another request body. Use a new key for a new request.");
}

function refuseUnlessReplayable(stored: IdempotentReply, digest: string): void {
  refuseOtherBody(stored, digest);
  if (stored.body !== undefined) return;
  throw refusal(
    `The request with this Idempotency-Key was served as ${stored.requestId}, and its response is not stored. Use a new key to send it again.`,
  );
}

function readIdempotencyKey(headers: HeaderFields): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (/^[!-~]{1,255}$/.test(key)) return key;
  throw refusal("The header Idempotency-Key must have 1 to 255 characters of ASCII without spaces.");
}

function replay(stored: IdempotentReply, { notes }: Exchange): Reply {
  notes.replayed = stored.requestId;
  notes.replyBytes = Buffer.byteLength(stored.body ?? "");
  if (stored.body !== undefined) notes.bodies?.capture(stored.body);
  // A replay costs nothing: the sum of these headers over all replies must equal the charged amount.
  const headers = { ...stored.headers, "x-tollgate-cost": formatDollars(0n), "x-tollgate-replayed": stored.requestId };
  return new Reply(stored.body ?? null, { headers });
}

function refusal(message: string): ApiError {
  return new ApiError("invalid_value", message, { param: "Idempotency-Key" });
}
