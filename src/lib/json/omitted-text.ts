import { randomBytes } from "node:crypto";
import { fromByteText, toByteText, type ByteText } from "../text/byte-text.ts";

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

/** Letters without `e`: no part of a placeholder may look like a number whose spelling matters. */
const LETTERS = "abcdfghijklmnopq";

function randomLetters(): string {
  return Array.from(randomBytes(32), (byte) => LETTERS[byte & 15]).join("");
}

/** Longer than what error messages quote of a value. */
const PREFIX_LENGTH = 64;

/**
 * What stands for an omitted string begins with this. It is random, and differs from process to process, so that no client can write it by
 * chance. A client that has learnt it gains nothing: `restoreOmitted` bounds what a body may become, and a string counts as a medium once.
 */
const PLACEHOLDER_PREFIX = `omitted ${randomLetters()} `.padEnd(PREFIX_LENGTH, "_");

/** The quote at the end shows in how many layers of JSON a placeholder is written: each layer escapes it once more. */
const SPAN = /^(\d+)-(\d+)"$/;
const WRITTEN_SPAN = /(\d{1,10})-(\d{1,10})(\\+)"/y;
const IN_MESSAGE = new RegExp(`${PLACEHOLDER_PREFIX}(?:\\d+-\\d+(?:\\\\+")?)?`, "g");

/** The value that stands for a string in an outline. `start` and `end` are the positions of the string without its quotes. */
export function placeholderFor(start: number, end: number): string {
  return `${PLACEHOLDER_PREFIX}${start}-${end}"`;
}

/** The same inside the quotes of a JSON string. */
export function writtenPlaceholderFor(start: number, end: number): string {
  return `${PLACEHOLDER_PREFIX}${start}-${end}\\"`;
}

/** A text for a client without the placeholders in it. Nothing that a client receives should have any. */
export function withoutPlaceholders(text: string): string {
  return text.includes(PLACEHOLDER_PREFIX) ? text.replaceAll(IN_MESSAGE, "…") : text;
}

/** The span of the string that a placeholder replaces; undefined if the value is not a placeholder. */
export function spanOfOmitted(value: string): StringSpan | undefined {
  if (!value.startsWith(PLACEHOLDER_PREFIX)) return undefined;
  const [, start, end] = SPAN.exec(value.slice(PLACEHOLDER_PREFIX.length)) ?? [];
  return start === undefined ? undefined : { start: Number(start), end: Number(end) };
}

/** Whether a value of an outline stands for a longer string. */
export function isOmitted(value: unknown): boolean {
  return typeof value === "string" && value.startsWith(PLACEHOLDER_PREFIX);
}

/** Whether a string of an outline, or the string that it stands for, begins with this text of ASCII. */
export function beginsWith(value: string, prefix: string, body: ByteText): boolean {
  const span = spanOfOmitted(value);
  if (!span) return value.startsWith(prefix);
  // An escape of a character has six characters at most.
  const written = body.slice(span.start, Math.min(span.end, span.start + prefix.length * 6));
  return written.startsWith(prefix) || (written.includes("\\") && textOf(span, body).startsWith(prefix));
}

/** Whether a string of an outline, or the string that it stands for, has only white space. */
export function isBlank(value: string, body: ByteText): boolean {
  const span = spanOfOmitted(value);
  if (!span) return value.trim() === "";
  return /[^!-[\]-~]/.test(body[span.start]!) && textOf(span, body).trim() === "";
}

function textOf({ start, end }: StringSpan, body: ByteText): string {
  return JSON.parse(`"${fromByteText(body.slice(start, end) as ByteText)}"`) as string;
}

/** A translation repeats an ID at most. */
const MAX_GROWTH = 3;

/**
 * Appends JSON that was made from the outline of a body, with the omitted strings in their places, as the client has written them. A string
 * inside JSON that is a string itself, such as the arguments of a tool call, is escaped once for each layer.
 */
export function restoreOmitted(json: ByteText, body: ByteText, pieces: ByteText[]): void {
  let copied = 0;
  let restored = 0;
  for (let at = json.indexOf(PLACEHOLDER_PREFIX); at >= 0; at = json.indexOf(PLACEHOLDER_PREFIX, at + PREFIX_LENGTH)) {
    WRITTEN_SPAN.lastIndex = at + PREFIX_LENGTH;
    const span = WRITTEN_SPAN.exec(json);
    if (!span) continue;
    const text = body.slice(Number(span[1]), Number(span[2])) as ByteText;
    restored += text.length;
    if (restored > body.length * MAX_GROWTH) throw new Error("a translation that is much longer than its body");
    pieces.push(json.slice(copied, at) as ByteText, span[3]!.length === 1 ? text : escapedAgain(text, span[3]!.length));
    copied = WRITTEN_SPAN.lastIndex;
  }
  pieces.push(json.slice(copied) as ByteText);
}

/** The content of a string of an inner JSON. Its quote has 3 backslashes in the second layer, 7 in the third. */
function escapedAgain(written: ByteText, backslashes: number): ByteText {
  let text: string = withUsualEscapes(written);
  for (let more = Math.log2(backslashes + 1); more > 1; more--) text = text.replaceAll(/["\\]/g, String.raw`\$&`);
  return text as ByteText;
}

/** The content of a JSON string with the escapes of `JSON.stringify`: a model would read the others as they are. */
function withUsualEscapes(written: ByteText): ByteText {
  if (!/\\[u/]/.test(written)) return written;
  const text = JSON.parse(`"${fromByteText(written)}"`) as string;
  return toByteText(JSON.stringify(text)).slice(1, -1) as ByteText;
}
