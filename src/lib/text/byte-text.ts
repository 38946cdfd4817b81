/**
 * Text with one character for each byte of its UTF-8, from U+0000 to U+00FF. What is only passed on is kept so: to make it of bytes,
 * and bytes of it, is to copy them, a position in one is a position in the other, and no letter makes it twice as large. JSON is put
 * together with ASCII, which is the same in both. A type of its own, because other text would lose its letters on the wire.
 */
export type ByteText = string & { readonly [BYTE_TEXT]: never };
declare const BYTE_TEXT: unique symbol;

// oxlint-disable-next-line no-control-regex
const BEYOND_ASCII = /[^\x00-\x7f]/;

export function toByteText(text: string): ByteText {
  return (BEYOND_ASCII.test(text) ? Buffer.from(text).toString("latin1") : text) as ByteText;
}

export function fromByteText(bytes: ByteText): string {
  return BEYOND_ASCII.test(bytes) ? Buffer.from(bytes, "latin1").toString() : bytes;
}
