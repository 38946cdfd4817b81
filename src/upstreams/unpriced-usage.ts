import { isObject } from "../lib/schema/schema.ts";

/** The fields of a `usage` object that the gateway knows: `true`, or the fields inside. A list has one description for all of its items. */
export interface KnownUsage {
  readonly [name: string]: true | KnownUsage;
}

/** Names are for alerts. An upstream may send any, and any number of them. */
const NAME = /^[\w-]{1,64}$/;

/**
 * The path of the first field with a value that the gateway does not know, such as `usage.search_units`: the provider may bill it. Undefined
 * for almost all responses.
 */
export function unknownUsageIn(usage: unknown, known: KnownUsage, path = "usage"): string | undefined {
  if (Array.isArray(usage)) {
    for (const item of usage) {
      const found = unknownUsageIn(item, known, path);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(usage)) return isEmpty(usage) ? undefined : path;
  for (const name in usage) {
    const expected = Object.hasOwn(known, name) ? known[name] : undefined;
    if (expected === true || isEmpty(usage[name])) continue;
    const inner = `${path}.${NAME.test(name) ? name : "…"}`;
    if (expected === undefined) return inner;
    const found = unknownUsageIn(usage[name], expected, inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A value that nothing can be billed for. */
function isEmpty(value: unknown): boolean {
  return value == null || value === 0 || value === "" || value === false || (typeof value === "object" && Object.keys(value).length === 0);
}
