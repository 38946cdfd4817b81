import type { CachedResponse } from "../../stores/responses/response-store.ts";
import type { Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { FindUpstream, Gateway } from "../gateway.ts";
import { responseKey } from "./response-key.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";

/** Where the answer to a request is kept, or will be. */
export interface CachePlace {
  readonly key: string;
  /** The answer, if there is one that the caller is willing to take. */
  readonly kept: CachedResponse | undefined;
}

/**
 * Looks for a kept answer, as RFC 9111 has it of a request's `Cache-Control`: with `no-store` there is neither a look nor a place,
 * with `no-cache` the answer is made anew and takes the place of the one before it.
 */
export function lookUpCache(
  chat: ChatRequest,
  model: Model,
  accountId: string,
  headers: HeaderFields,
  findUpstream: FindUpstream,
  { responses, monotonicMs }: Gateway,
): CachePlace | undefined {
  const directives = directivesIn(headers);
  if (directives.includes("no-store")) return undefined;
  const key = responseKey(chat, model, accountId, findUpstream);
  return { key, kept: directives.includes("no-cache") ? undefined : responses.find(key, monotonicMs()) };
}

function directivesIn(headers: HeaderFields): string[] {
  const named = (headers.get("cache-control") ?? "").toLowerCase().split(",");
  return named.map((directive) => directive.split("=", 1)[0]!.trim());
}
