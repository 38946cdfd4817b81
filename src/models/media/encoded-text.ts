import type { ByteText } from "../../lib/text/byte-text.ts";
import { indexOfOmitted } from "../../lib/json/omitted-text.ts";

/** A string of a request as it was written, which may be megabytes: only what is asked for is read. */
export interface EncodedText {
  /** The bytes that it has in the body, without its quotes. */
  readonly bytes: number;
  /** Its characters. Where escapes are in it, they count as what they stand for. */
  readonly length: number;
  /** Its characters from one position to another. */
  slice(from: number, to: number): string;
  /** Whether it is base64 from this position to its last character: at least one, and nothing else but line breaks. */
  isBase64(from: number): boolean;
}

/** RFC 2045 has line breaks in base64. */
const CHARACTERS = /^[\w+/\r\n-]*$/;
const LAST_CHARACTERS = /^[\w+/\r\n-]+={0,2}\r?\n?$/;

/** A chunk that decodes to as many bytes as this has nothing but base64 in it. To decode is ten times as fast as to match a pattern. */
const decodedChunk = Buffer.allocUnsafeSlow(48 * 1024);
const CHUNK_CHARS = 64 * 1024;

/** Padding, and a line break behind it. */
const MAX_END_CHARS = 4;

/** The string that a value of a request's outline is, or stands in for. */
export function encodedText(value: string, body: ByteText): EncodedText {
  const place = indexOfOmitted(value);
  const written = place ? body.slice(place.start, place.end) : value;
  // Some clients write every slash as `\/`. JSON says what an escape is, and the string was found to be JSON.
  const text = place && written.includes("\\") ? (JSON.parse(`"${written}"`) as string) : written;
  return {
    bytes: place ? place.end - place.start : Buffer.byteLength(value),
    length: text.length,
    slice: (from, to) => text.slice(from, to),
    isBase64: (from) => isBase64(text, from),
  };
}

/** Chunk by chunk, so that the time is in proportion to the length whatever the text is. */
function isBase64(text: string, from: number): boolean {
  let at = from;
  for (; at + CHUNK_CHARS + MAX_END_CHARS < text.length; at += CHUNK_CHARS) {
    const chunk = text.slice(at, at + CHUNK_CHARS);
    if (decodedChunk.write(chunk, "base64") < decodedChunk.length && !CHARACTERS.test(chunk)) return false;
  }
  return LAST_CHARACTERS.test(text.slice(at));
}
