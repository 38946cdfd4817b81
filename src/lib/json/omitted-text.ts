import { randomBase62 } from "../text/base62.ts";

/** The start and end of a string in a body, without its quotes. */
interface StringSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * The placeholder of a string that is omitted from an outline begins with this. It is random, so that no caller can write a string that
 * looks like a placeholder. Like the strings that it replaces, a placeholder is longer than any value that an error message quotes.
 */
const PLACEHOLDER_PREFIX = `a long string that is omitted from this outline, ${randomBase62(22)}, at `;

export function placeholderFor(start: number, end: number): string {
  return `${PLACEHOLDER_PREFIX}${start}-${end}`;
}

/** The span of the string that an outline's placeholder replaces; undefined if the value is not a placeholder. */
export function spanOfOmitted(value: string): StringSpan | undefined {
  if (!value.startsWith(PLACEHOLDER_PREFIX)) return undefined;
  const [start, end] = value.slice(PLACEHOLDER_PREFIX.length).split("-");
  return { start: Number(start), end: Number(end) };
}
