import { isObject } from "../../lib/schema/schema.ts";
import { isHourBreakpoint } from "../../requests/cache-ttl.ts";

/** A prompt-cache breakpoint with no `ttl` but an hour: five minutes are the default. */
export function cacheBreakpoint(cacheControl: unknown): object | undefined {
  if (!isObject(cacheControl)) return undefined;
  if (isHourBreakpoint(cacheControl)) return cacheControl;
  const { ttl: _ttl, ...breakpoint } = cacheControl;
  return breakpoint;
}
