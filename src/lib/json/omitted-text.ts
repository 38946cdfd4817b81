import { randomBase62 } from "../text/base62.ts";

/** The start and end of a string in a body, without its quotes. */
interface StringSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * No caller may know this: with it, a body could have placeholders of its own, which count the same text as a medium many times, and make
 * the prompt shorter than nothing.
 */
const NONCE = randomBase62(22);

/**
 * The placeholder of a string that is omitted from an outline begins with this. Like the strings that it replaces, a placeholder is longer
 * than any value that an error message quotes; and the beginning that messages quote of some values ends before the nonce.
 */
const PLACEHOLDER_PREFIX = `${"a long string that is omitted from this outline ".padEnd(100, ".")} ${NONCE}, at `;

export function placeholderFor(start: number, end: number): string {
  return `${PLACEHOLDER_PREFIX}${start}-${end}`;
}

/** A text for a client without the placeholders in it. Nothing that a client receives should have any. */
export function withoutPlaceholders(text: string): string {
  return text.includes(NONCE) ? text.replaceAll(NONCE, "…") : text;
}

/** The span of the string that an outline's placeholder replaces; undefined if the value is not a placeholder. */
export function spanOfOmitted(value: string): StringSpan | undefined {
  if (!value.startsWith(PLACEHOLDER_PREFIX)) return undefined;
  const [start, end] = value.slice(PLACEHOLDER_PREFIX.length).split("-");
  return { start: Number(start), end: Number(end) };
}
