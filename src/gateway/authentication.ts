import type { HeaderFields } from "../lib/http1/header-fields.ts";
import type { Exchange } from "../http/endpoint.ts";
import { hasEnded, isActive, isOfAnotherGateway, locateKey, isValidSecret, type KeyRecord } from "../access/api-key.ts";
import type { Account } from "../access/account.ts";
import type { RemainingAmounts } from "../money/headroom.ts";
import { ApiError } from "../requests/api-error.ts";
import { authorityAway, NOT_CURRENT } from "../requests/authority-away.ts";
import type { Gateway } from "./gateway.ts";
import { cappedPurses, NONE_CAPPED, CREDIT_CODES, remainingFor, setRemainingHeaders } from "./admission/headroom.ts";
import { allLimitScopes, limitScopes, setRateLimitHeaders } from "./admission/rate-limits.ts";

/**
 * The key that makes this request. Every invalid key receives the same error, so that the error does not reveal the reason. Only the holder
 * of the secret learns that a key is paused.
 */
export function authenticate(exchange: Exchange, gateway: Gateway, isLastTry: boolean): KeyRecord {
  const { notes } = exchange;
  const nowMs = gateway.nowMs();
  const record = gateway.resolveCaller ? gateway.resolveCaller() : findKey(exchange, gateway, nowMs, isLastTry);
  if (!record || hasEnded(record, nowMs)) throw gateway.isCurrent?.() === false ? authorityAway(NOT_CURRENT) : invalidKey();
  if (isStopped(record, gateway)) throw gateway.isCurrent?.() === false ? authorityAway(NOT_CURRENT) : pausedKey(record);
  exchange.markAuthenticated(record.accountId, record.id);
  gateway.lastUsed.noteKey(record.id, nowMs);
  notes.keyId = record.id;
  notes.accountId = record.accountId;
  exchange.describeReply = (headers) => {
    const account = gateway.accountOf(record);
    // The end user is known once the request has been read.
    const scopes = notes.isAttributed ? allLimitScopes(record, account, notes.attribution) : limitScopes(record, account);
    setRateLimitHeaders(headers, gateway.limits.state(scopes, gateway.monotonicMs()));
    const isUnpaid = notes.code !== undefined && CREDIT_CODES.has(notes.code);
    const remaining = notes.remaining ?? (isUnpaid ? remainingNow(record, account, exchange, gateway) : undefined);
    if (remaining) setRemainingHeaders(headers, remaining);
  };
  return record;
}

function remainingNow(caller: KeyRecord, account: Account, { notes }: Exchange, { ledger, nowMs }: Gateway): RemainingAmounts | undefined {
  const capped = notes.isAttributed ? cappedPurses(caller, account, notes.attribution) : NONE_CAPPED;
  return remainingFor(caller, account, ledger, nowMs(), capped);
}

/**
 * Authenticates a request that has arrived. A key that this process does not know may have been created or rotated by another process a
 * moment ago.
 */
export function identify(exchange: Exchange, gateway: Gateway): KeyRecord | Promise<KeyRecord> {
  try {
    return authenticate(exchange, gateway, gateway.catchUp === undefined);
  } catch (error) {
    const isThrottled = error instanceof ApiError && error.code === "rate_limit_exceeded";
    if (!gateway.catchUp || gateway.resolveCaller || isThrottled) throw error;
    return gateway.catchUp().then(() => authenticate(exchange, gateway, true));
  }
}

function findKey(exchange: Exchange, gateway: Gateway, nowMs: number, isLastTry: boolean): KeyRecord | undefined {
  const { keys, authorizationCache, hashSecret, guesses } = gateway;
  const { headers } = exchange.request;
  const other = gateway.otherKeyHeaders && bearerIn(headers, gateway.otherKeyHeaders);
  const authorization = headers.get("authorization") ?? other ?? "";
  // Another layer could read the other key, and charge another account.
  if (gateway.refusesSecondKey && other !== undefined && keyIn(other) !== keyIn(authorization)) return undefined;
  const cached = authorizationCache.find(authorization);
  if (cached && keys.find(cached.id) === cached) return cached;
  const plaintext = keyIn(authorization);
  if (plaintext === undefined) return undefined;
  // A valid key is in the cache after its first request, and stays accepted no matter how many invalid keys its address sends.
  const isGuess = isOfAnotherGateway(plaintext);
  if (isGuess) guesses.refuse(exchange.callerAddress());
  const located = locateKey(plaintext, hashSecret);
  const record = located && keys.find(located.id);
  if (!record || !isValidSecret(record, located.hash, nowMs)) {
    if (isGuess && isLastTry) guesses.noteFailure(exchange.callerAddress());
    return undefined;
  }
  // During the grace period of a rotation, the old secret expires without any change to the record, so the key is not cached.
  if (record.previous === null) authorizationCache.note(authorization, record);
  return record;
}

function keyIn(authorization: string): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

/** The first of these headers, as an `Authorization`. */
function bearerIn(headers: HeaderFields, names: readonly string[]): string | undefined {
  const value = names.map((name) => headers.get(name)).find((each) => each !== null) ?? undefined;
  return value === undefined || /^bearer /i.test(value) ? value : `Bearer ${value}`;
}

/**
 * The longest upload: the maximum of `TOLLGATE_UPLOAD_SECONDS`. This request cannot have started with a secret whose grace period ended
 * longer ago than that.
 */
const MAX_UPLOAD_MS = 60 * 60 * 1000;

/**
 * Authenticates again once the body is received. An upload takes as long as the client likes, and a leaked key must not complete
 * requests that it started before it was revoked. The key is hashed again only if it may have changed. `resolveCaller` runs in any case:
 * a person can lose access while the key stays the same.
 */
export function reauthenticate(caller: KeyRecord, exchange: Exchange, gateway: Gateway): KeyRecord {
  const nowMs = gateway.nowMs();
  const hasOneSecret = caller.previous === null || caller.previous.worksUntilMs < nowMs - MAX_UPLOAD_MS;
  const isSame = !gateway.resolveCaller && gateway.keys.find(caller.id) === caller && hasOneSecret;
  return isSame && isActive(caller, nowMs) && !isStopped(caller, gateway) ? caller : authenticate(exchange, gateway, true);
}

/** Whether requests with this key are accepted at the moment. */
export function isKeyValid(id: string, gateway: Gateway): boolean {
  const record = gateway.keys.find(id);
  return record !== undefined && isActive(record, gateway.nowMs()) && !isStopped(record, gateway);
}

/** Whether the key is paused, or its account archived. */
function isStopped(key: KeyRecord, gateway: Gateway): boolean {
  return key.pausedAtMs !== null || gateway.accountOf(key).archivedAtMs !== null;
}

function invalidKey(): ApiError {
  return new ApiError("invalid_api_key", "A valid API key is required: Authorization: Bearer sk-service-…");
}

/** A paused key gets a 401: the contract of the model list has no other error status. */
function pausedKey({ pausedAtMs }: KeyRecord): ApiError {
  const why = pausedAtMs === null ? "The account of this API key is archived." : "This API key is paused.";
  return new ApiError("api_key_paused", `${why} Ask an operator or a member of its account, or use another key.`);
}
