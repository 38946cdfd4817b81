import type { Exchange } from "../http/endpoint.ts";
import { hashApiKey, idOfApiKey, opens, type KeyRecord } from "../vocabulary/api-key.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { Gateway } from "./gateway.ts";
import { describeLimits, limitScopes } from "./limits.ts";

/** The key that makes this request. One refusal, in the same words, for every reason it may not be good. */
export function authenticate(exchange: Exchange, gateway: Gateway): KeyRecord {
  const { request, facts } = exchange;
  const key = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  const id = key === undefined ? undefined : idOfApiKey(key);
  if (key === undefined || id === undefined) throw refusal();
  const hash = hashApiKey(key, gateway.hashSecret);
  const record = gateway.keys.find(id);
  const nowMs = gateway.nowMs();
  if (!record || !opens(record, hash, nowMs)) throw refusal();
  gateway.uses.noteKey(record.id, nowMs);
  facts["key"] = record.id;
  facts["account"] = record.accountId;
  exchange.describeReply = (headers) => {
    const scopes = limitScopes(record, gateway.accountOf(record));
    describeLimits(headers, gateway.limits.state(scopes, gateway.nowMs()));
  };
  return record;
}

function refusal(): GatewayError {
  return new GatewayError("invalid_api_key", "A valid API key is required: Authorization: Bearer sk-service-…");
}
