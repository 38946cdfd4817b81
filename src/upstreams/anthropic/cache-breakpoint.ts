import { isObject } from "../../lib/schema/schema.ts";

/**
 * The mark that a cached prefix ends here, without how long it is kept. An hour costs twice the price of the tokens and five
 * minutes a quarter more, and a model has one price for both: callers would pay the lower one.
 */
export function cacheMark(cacheControl: unknown): object | undefined {
  if (!isObject(cacheControl)) return undefined;
  const { ttl: _ttl, ...mark } = cacheControl;
  return mark;
}
