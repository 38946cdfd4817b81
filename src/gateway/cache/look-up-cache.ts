import type { CachedResponse } from "../../stores/responses/response-store.ts";
import type { Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { FindUpstream, Gateway } from "../gateway.ts";
import { responseKey } from "./response-key.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";

export interface CacheLookup {
  readonly key: string;
  /** The cached response, unless the client sent `Cache-Control: no-cache`. */
  readonly hit: CachedResponse | undefined;
}

/**
 * Looks up the response cache by a request's `Cache-Control` (RFC 9111), or by `cache` in its body: with `no-store` the response is neither read from the cache nor
 * stored, with `no-cache` a new response is requested from the upstream and replaces the cached one.
 */
export function lookUpCache(
  chat: ChatRequest,
  model: Model,
  accountId: string,
  headers: HeaderFields,
  findUpstream: FindUpstream,
  { responses, monotonicMs }: Gateway,
): CacheLookup | undefined {
  const directives = new Set([...directivesIn(headers), ...directivesInBody(chat)]);
  if (directives.has("no-store")) return undefined;
  const key = responseKey(chat, model, accountId, findUpstream);
  return { key, hit: directives.has("no-cache") ? undefined : responses.find(key, monotonicMs()) };
}

/** `cache: {"no-cache": true}`, as LiteLLM's clients send it. */
function directivesInBody({ outline: { cache } }: ChatRequest): string[] {
  return isObject(cache) ? Object.keys(cache).filter((directive) => cache[directive] === true) : [];
}

function directivesIn(headers: HeaderFields): string[] {
  const named = (headers.get("cache-control") ?? "").toLowerCase().split(",");
  return named.map((directive) => directive.split("=", 1)[0]!.trim());
}
