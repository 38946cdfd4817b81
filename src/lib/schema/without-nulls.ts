import { Secret } from "../secret/secret.ts";
import { isObject } from "./schema.ts";

/** A value without the fields that are null. */
export type WithoutNulls<T> = T extends Secret
  ? T
  : T extends readonly (infer Item)[]
    ? readonly WithoutNulls<Item>[]
    : T extends object
      ? { [Name in keyof T]: WithoutNulls<NonNullable<T[Name]>> }
      : T;

/** The same value without fields that are null. They mean "not given": a price that is null must not become a price of zero. */
export function withoutNulls<T>(value: T): WithoutNulls<T> {
  return omitNulls(value) as WithoutNulls<T>;
}

function omitNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitNulls);
  if (!isObject(value) || value instanceof Secret) return value;
  const given = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(given.map(([name, field]) => [name, omitNulls(field)]));
}
