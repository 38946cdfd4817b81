import type { Exchange } from "../../http/endpoint.ts";
import { hashApiKey, idOfApiKey, isActive, opens, type KeyRecord } from "../../access/api-key.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import type { Gateway } from "../gateway.ts";
import { describeLimits, limitScopes } from "../admission/rate-limits.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";

/** The key that makes this request. One refusal, in the same words, for every reason it may not be good. */
export function authenticate(exchange: Exchange, gateway: Gateway): KeyRecord {
  const { request, notes } = exchange;
  const nowMs = gateway.nowMs();
  const record = gateway.resolveCaller ? gateway.resolveCaller() : findByText(request.headers, gateway, nowMs);
  if (!record || !isActive(record, nowMs)) throw refusal();
  exchange.markAuthenticated(record.accountId);
  gateway.uses.noteKey(record.id, nowMs);
  notes.keyId = record.id;
  notes.accountId = record.accountId;
  exchange.describeReply = (headers) => {
    const scopes = limitScopes(record, gateway.accountOf(record));
    describeLimits(headers, gateway.limits.state(scopes, gateway.monotonicMs()));
  };
  return record;
}

function findByText(headers: HeaderFields, { keys, knownTexts, hashSecret }: Gateway, nowMs: number): KeyRecord | undefined {
  const authorization = headers.get("authorization") ?? "";
  const known = knownTexts.find(authorization);
  if (known && keys.find(known.id) === known) return known;
  const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const id = text === undefined ? undefined : idOfApiKey(text);
  if (text === undefined || id === undefined) return undefined;
  const hash = hashApiKey(text, hashSecret);
  const record = keys.find(id);
  if (!record || !opens(record, hash, nowMs)) return undefined;
  // Of two texts one will stop working while the record stays as it is.
  if (record.previous === null) knownTexts.note(authorization, record);
  return record;
}

/** No body takes longer: it is the most that `TOLLGATE_UPLOAD_SECONDS` can be. A text that worked when it began to come has been refused since. */
const LONGEST_UPLOAD_MS = 60 * 60 * 1000;

/**
 * The same key once its body is there. That takes as long as the caller likes, and whoever holds a leaked key must not be able
 * to finish what they began before it was revoked. Where nothing can have changed the key need not be hashed again. Who vouches is
 * asked in any case: a person can be shut out while the key stays as it is.
 */
export function authenticateAgain(caller: KeyRecord, exchange: Exchange, gateway: Gateway): KeyRecord {
  const nowMs = gateway.nowMs();
  const hasOneText = caller.previous === null || caller.previous.worksUntilMs < nowMs - LONGEST_UPLOAD_MS;
  const isUnchanged = !gateway.resolveCaller && gateway.keys.find(caller.id) === caller && hasOneText && isActive(caller, nowMs);
  return isUnchanged ? caller : authenticate(exchange, gateway);
}

function refusal(): GatewayError {
  return new GatewayError("invalid_api_key", "A valid API key is required: Authorization: Bearer sk-service-…");
}
