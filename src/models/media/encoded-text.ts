import type { ByteText } from "../../lib/text/byte-text.ts";
import { spanOfOmitted } from "../../lib/json/omitted-text.ts";

/** A string in a request body, in its JSON encoding. It may be megabytes, so only the requested part is decoded. */
export interface EncodedText {
  /** The number of its bytes in the body, without the quotes. */
  readonly bytes: number;
  /** Its position in the body, for a placeholder. */
  readonly start: number | undefined;
  /** Its length in characters; an escape counts as the character it encodes. */
  readonly length: number;
  /** Its characters from one position to another. */
  slice(from: number, to: number): string;
  /** Whether the text from this position to its end is base64, with at least one character and nothing else except line breaks. */
  isBase64(from: number): boolean;
}

/** RFC 2045 allows line breaks in base64. */
const CHARACTERS = /^[\w+/\r\n-]*$/;
const LAST_CHARACTERS = /^[\w+/\r\n-]+={0,2}\r?\n?$/;

/** A chunk that decodes to this many bytes is valid base64. Decoding is ten times as fast as matching a pattern. */
const decodedChunk = Buffer.allocUnsafeSlow(48 * 1024);
const CHUNK_CHARS = 64 * 1024;

/** Padding, and a line break after it. */
const MAX_END_CHARS = 4;

/** The string of a value in a request's outline, or of its placeholder. */
export function encodedText(value: string, body: ByteText): EncodedText {
  const span = spanOfOmitted(value);
  const written = span ? body.slice(span.start, span.end) : value;
  // Some clients write every slash as `\/`. The string has already been validated as JSON.
  const text = span && written.includes("\\") ? (JSON.parse(`"${written}"`) as string) : written;
  return {
    bytes: span ? span.end - span.start : Buffer.byteLength(value),
    start: span?.start,
    length: text.length,
    slice: (from, to) => text.slice(from, to),
    isBase64: (from) => isBase64(text, from),
  };
}

/** Checks chunk by chunk, so that it runs in linear time for any text. */
function isBase64(text: string, from: number): boolean {
  let at = from;
  for (; at + CHUNK_CHARS + MAX_END_CHARS < text.length; at += CHUNK_CHARS) {
    const chunk = text.slice(at, at + CHUNK_CHARS);
    if (decodedChunk.write(chunk, "base64") < decodedChunk.length && !CHARACTERS.test(chunk)) return false;
  }
  return LAST_CHARACTERS.test(text.slice(at));
}
