import { isObject } from "../lib/schema/schema.ts";
import type { RequestBody } from "./chat-request.ts";

/** The fields of Anthropic and of OpenAI that set how long a prompt is cached. */
const CACHING: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_breakpoint", "prompt_cache_options"]);

/** Whether a request may name the `ttl` of a prompt-cache breakpoint. A name may be written with escapes. */
function mayHaveTtl({ outlineText }: Pick<RequestBody, "outlineText">): boolean {
  return outlineText.includes('"ttl"') || outlineText.includes("\\u");
}

/** Whether a request sets how long a prompt is cached. */
export function hasCacheTtl(request: Pick<RequestBody, "outlineText" | "outline">): boolean {
  return mayHaveTtl(request) && withoutCacheTtl(request.outline) !== request.outline;
}

/** Whether a request asks for prompts to be cached for an hour. */
export function hasHourTtl(request: Pick<RequestBody, "outlineText" | "outline">): boolean {
  return mayHaveTtl(request) && isHourInside(request.outline);
}

/** Prompt-cache breakpoints without their `ttl`. Returns the same value if there are none. */
export function withoutCacheTtl(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutCacheTtl);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isObject(value)) return value;
  let changed: Record<string, unknown> | undefined;
  for (const name in value) {
    const before = value[name];
    const after = CACHING.has(name) && isObject(before) ? withoutTtl(before) : withoutCacheTtl(before);
    if (after !== before) (changed ??= { ...value })[name] = after;
  }
  return changed ?? value;
}

function withoutTtl(breakpoint: Readonly<Record<string, unknown>>): object {
  if (!Object.hasOwn(breakpoint, "ttl")) return breakpoint;
  const { ttl: _ttl, ...rest } = breakpoint;
  return rest;
}

function isHourInside(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isHourInside);
  if (!isObject(value)) return false;
  return isHourBreakpoint(value["cache_control"]) || Object.values(value).some(isHourInside);
}

/** Whether a prompt-cache breakpoint in Anthropic's form is for an hour. */
export function isHourBreakpoint(cacheControl: unknown): boolean {
  return isObject(cacheControl) && cacheControl["ttl"] === "1h";
}
