import { Secret } from "../secret/secret.ts";
import { isObject } from "./schema.ts";

/** The same value without fields that are null. They mean "not given": a price that is null must not become a price of zero. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item)) as T;
  if (!isObject(value) || value instanceof Secret) return value;
  const given = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(given.map(([name, field]) => [name, withoutNulls(field)])) as T;
}
