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

/**
 * What stands for an omitted string begins with this. It is random, and differs from process to process, so that nobody can forge it: with
 * forged placeholders, a body could count the same text as a medium many times.
 */
const PLACEHOLDER_PREFIX = `omitted ${randomBytes(16).toString("base64url")} `;

/** The quote at the end shows in how many layers of JSON a placeholder is written: each layer escapes it once more. */
const SPAN = /^(\d+)-(\d+)"$/;

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
  return text.includes(PLACEHOLDER_PREFIX) ? text.replaceAll(PLACEHOLDER_PREFIX, "…") : text;
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

/** Whether a string of an outline, or the string that it stands for, begins with this. */
export function beginsWith(value: string, prefix: string, body: ByteText): boolean {
  const span = spanOfOmitted(value);
  return span ? body.startsWith(prefix, span.start) : value.startsWith(prefix);
}

/**
 * Appends JSON that was made from the outline of a body, with the omitted strings in their places, as the client has written them. A string
 * inside JSON that is a string itself, such as the arguments of a tool call, is escaped once for each layer.
 */
export function restoreOmitted(json: ByteText, body: ByteText, pieces: ByteText[]): void {
  let copied = 0;
  for (let at = json.indexOf(PLACEHOLDER_PREFIX); at >= 0; at = json.indexOf(PLACEHOLDER_PREFIX, copied)) {
    const digits = at + PLACEHOLDER_PREFIX.length;
    const dash = json.indexOf("-", digits);
    const backslash = json.indexOf("\\", dash);
    const quote = json.indexOf('"', backslash);
    const text = body.slice(Number(json.slice(digits, dash)), Number(json.slice(dash + 1, backslash))) as ByteText;
    pieces.push(json.slice(copied, at) as ByteText, quote === backslash + 1 ? text : escapedAgain(text, quote - backslash));
    copied = quote + 1;
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
