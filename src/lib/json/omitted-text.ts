/** The start and end of a string in a body, without its quotes. */
interface StringSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * The shortest string inside a list or an object that is omitted from an outline, in bytes with its quotes: omitting a shorter one costs
 * more than parsing it.
 */
export const LONG_STRING = 256;

/**
 * What stands for an omitted string begins with this. It is longer than every string that an outline contains inside lists and objects,
 * so nobody can forge it there: a client's string that reads the same is omitted itself. Longer strings stay only if they have a
 * backslash that is doubtful, and then they do not read the same. With forged placeholders, a body could count the same text as a medium
 * many times.
 */
const PLACEHOLDER_PREFIX = "a long string that is omitted from this outline ".padEnd(LONG_STRING, ".");

const SPAN = /^(\d+)-(\d+)$/;

export function placeholderFor(start: number, end: number): string {
  return `${PLACEHOLDER_PREFIX}${start}-${end}`;
}

/** A text for a client without the placeholders in it. Nothing that a client receives should have any. */
export function withoutPlaceholders(text: string): string {
  return text.includes(PLACEHOLDER_PREFIX) ? text.replaceAll(PLACEHOLDER_PREFIX, "…") : text;
}

/**
 * The span of the string that a placeholder replaces; undefined if the value is not a placeholder. The value must come from inside a list or an object of an
 * outline: strings at the top level are never omitted, and may have any content.
 */
export function spanOfOmitted(value: string): StringSpan | undefined {
  if (!value.startsWith(PLACEHOLDER_PREFIX)) return undefined;
  const [, start, end] = SPAN.exec(value.slice(PLACEHOLDER_PREFIX.length)) ?? [];
  return start === undefined ? undefined : { start: Number(start), end: Number(end) };
}
