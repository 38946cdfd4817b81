import { isUtf8 } from "node:buffer";

/**
 * Text with one character (U+0000 to U+00FF) for each byte of its UTF-8, as `latin1` decodes it. Bodies that are only passed on have this
 * form: converting from and to bytes is a copy, positions are equal to byte positions, and no character doubles its memory. The syntax of
 * JSON is ASCII, which is the same in both. It is a separate type, because ordinary text would be corrupted on the wire.
 */
export type ByteText = string & { readonly [BYTE_TEXT]: never };
declare const BYTE_TEXT: unique symbol;

// oxlint-disable-next-line no-control-regex
const NON_ASCII = /[^\x00-\x7f]/;

export function toByteText(text: string): ByteText {
  return (NON_ASCII.test(text) ? Buffer.from(text).toString("latin1") : text) as ByteText;
}

export function fromByteText(bytes: ByteText): string {
  return NON_ASCII.test(bytes) ? Buffer.from(bytes, "latin1").toString() : bytes;
}

/**
 * A header as its sender wrote it. RFC 9110 §5.5 does not define the encoding of non-ASCII text: clients send UTF-8, old clients Latin-1.
 */
export function headerText(value: string): string {
  if (!NON_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString() : value;
}
