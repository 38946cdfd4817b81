import type { ByteText } from "../byte-text.ts";
import { placeOfLeftOut } from "../left-out.ts";

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

/** A search for one character takes time in proportion to the length, whatever the text is. RFC 2045 has line breaks in base64. */
const NOT_BASE64 = /[^A-Za-z0-9+/_\r\n-]/g;

/** The string that a value of a request's outline is, or stands in for. */
export function encodedText(value: string, body: ByteText): EncodedText {
  const place = placeOfLeftOut(value);
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

function isBase64(text: string, from: number): boolean {
  NOT_BASE64.lastIndex = from;
  const end = NOT_BASE64.exec(text)?.index ?? text.length;
  // At most two characters of padding, and a line break behind them.
  return end > from && text.length - end <= 4 && /^={0,2}\r?\n?$/.test(text.slice(end));
}
