import { isFields, type Fields } from "../../../platform/json.ts";

export interface SchemaProblem {
  /** Such as `$.items[0].name`. */
  readonly path: string;
  /** The rest of a sentence that starts with the path: "must be a string." */
  readonly message: string;
}

/** A part of the value. */
export interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/** A part of the value, with the schema that it must match. */
export interface KeywordPlace extends Place {
  readonly schema: Fields;
  readonly root: unknown;
  readonly check: (schema: unknown, at: Place) => readonly SchemaProblem[];
}

/** The message of a violated keyword, its problems deeper in the value, or nothing. */
export type Keyword = (expected: unknown, at: KeywordPlace) => string | readonly SchemaProblem[] | undefined;

export function memberPath(path: string, name: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

/** The same text for equal JSON values. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isFields(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.toSorted().join()}}`;
}
