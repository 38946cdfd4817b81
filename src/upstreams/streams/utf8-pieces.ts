const NOTHING = new Uint8Array();
const BYTE_ORDER_MARK = "\ufeff";

/** Whole texts only: what a stream needs to remember between its pieces is here, and a decoder for each stream is not. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Makes text of a stream of bytes, wherever the network split a character. A mark of the byte order at its beginning is left out. */
export class Utf8Pieces {
  /** The beginning of a character whose end has not come. */
  #cut: Uint8Array = NOTHING;
  #hasBegun = false;

  /** The text of the characters that are whole. */
  take(bytes: Uint8Array): string {
    const all = this.#cut.length === 0 ? bytes : Buffer.concat([this.#cut, bytes]);
    const end = endOfWhole(all);
    // A copy, because a view would keep all that came.
    this.#cut = end === all.length ? NOTHING : new Uint8Array(all.subarray(end));
    return this.#begin(utf8.decode(end === all.length ? all : all.subarray(0, end)));
  }

  /** What is left of a character that was cut short. */
  end(): string {
    const cut = this.#cut;
    this.#cut = NOTHING;
    return utf8.decode(cut);
  }

  #begin(text: string): string {
    if (this.#hasBegun || text === "") return text;
    this.#hasBegun = true;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }
}

/** Where the last character that may still grow begins, or the end where there is none. */
function endOfWhole(bytes: Uint8Array): number {
  const { length } = bytes;
  // Nearly every piece ends in a line end.
  for (let at = length - 1; at >= 0 && at >= length - 3; at--) {
    const byte = bytes[at]!;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) return at + sizeOf(byte) > length ? at : length;
  }
  return length;
}

/** How many bytes a character has that begins with this one. */
function sizeOf(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
