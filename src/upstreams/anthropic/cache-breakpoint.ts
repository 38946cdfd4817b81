import { isObject } from "../../lib/schema/schema.ts";

/**
 * A prompt-cache breakpoint without its `ttl`. A cache write costs 2x the input price for one hour and 1.25x for five minutes, but a
 * model has one cache-write price: with a one-hour TTL callers would be charged too little.
 */
export function cacheBreakpoint(cacheControl: unknown): object | undefined {
  if (!isObject(cacheControl)) return undefined;
  const { ttl: _ttl, ...breakpoint } = cacheControl;
  return breakpoint;
}
