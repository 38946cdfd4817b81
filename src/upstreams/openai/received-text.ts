/** The text received for one choice, measured as it arrives. The text itself is not stored. */
export class ReceivedText {
  /** The bytes of the text in UTF-8. */
  bytes = 0;
  /** Bytes that are not whitespace. */
  nonSpaceBytes = 0;
  /** Letters or digits after whitespace or at the start. */
  words = 0;
  /** Whether the text contains an inline image or file, whose base64 size says nothing about tokens. */
  hasMedia = false;
  #isAfterSpace = true;

  /** Adds a delta, and returns its size in bytes. */
  add(text: string): number {
    let bytes = 0;
    let spaces = 0;
    let words = 0;
    let isAfterSpace = this.#isAfterSpace;
    // One loop for all counts: most deltas are a few characters, for which it costs about as much as `Buffer.byteLength` alone.
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      bytes += bytesOf(code);
      const isSpace = code <= 0x20;
      if (isSpace) spaces++;
      else if (isAfterSpace && isWordCharacter(code)) words++;
      isAfterSpace = isSpace;
    }
    this.#isAfterSpace = isAfterSpace;
    this.words += words;
    this.bytes += bytes;
    this.nonSpaceBytes += bytes - spaces;
    if (text.length > MEDIA_MARKER.length && text.includes(MEDIA_MARKER)) this.hasMedia = true;
    return bytes;
  }
}

/** Precedes the base64 in a data URL (RFC 2397). */
const MEDIA_MARKER = ";base64,";

/** Each half of a surrogate pair counts as two of the pair's four bytes. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
}

function isWordCharacter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code >= 0x80;
}
