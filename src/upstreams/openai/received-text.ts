/** The text received for one choice, measured as it arrives. Nothing of it is stored. */
export class ReceivedText {
  /** In UTF-8. */
  bytes = 0;
  /** As many of them as are not white space. */
  inkBytes = 0;
  /** Letters or digits that follow white space, or the beginning. */
  words = 0;
  /** Whether an inline picture or file is in it, whose base64 says nothing about tokens. */
  hasMedia = false;
  #isBehindSpace = true;

  /** Adds a piece, and returns its size in bytes. */
  add(text: string): number {
    let bytes = 0;
    let spaces = 0;
    let words = 0;
    let isBehindSpace = this.#isBehindSpace;
    // One loop for all of it: most pieces are a few characters, for which it costs about as much as `Buffer.byteLength` alone.
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      bytes += bytesOf(code);
      const isSpace = code <= 0x20;
      if (isSpace) spaces++;
      else if (isBehindSpace && isWordCharacter(code)) words++;
      isBehindSpace = isSpace;
    }
    this.#isBehindSpace = isBehindSpace;
    this.words += words;
    this.bytes += bytes;
    this.inkBytes += bytes - spaces;
    if (text.length > MEDIA_MARK.length && text.includes(MEDIA_MARK)) this.hasMedia = true;
    return bytes;
  }
}

/** What a data URL has in front of its base64 (RFC 2397). */
const MEDIA_MARK = ";base64,";

/** Half of a surrogate pair is two bytes of the four that the pair has. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
}

function isWordCharacter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code >= 0x80;
}
