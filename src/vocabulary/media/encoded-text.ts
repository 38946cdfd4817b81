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
  /** Whether it is base64 from the first character to the last. */
  isBase64(): boolean;
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

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
    isBase64: () => BASE64.test(text),
  };
}
