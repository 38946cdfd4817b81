const NOTHING = new Uint8Array();
const BYTE_ORDER_MARK = "\ufeff";

/** Decodes complete text only: the state between the pieces of a stream is kept here, without a decoder for each stream. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes a byte stream, wherever the network split a character. A leading byte order mark is dropped. */
export class Utf8Pieces {
  /** The first bytes of an incomplete character. */
  #cut: Uint8Array = NOTHING;
  #hasBegun = false;

  /** The text of the complete characters. */
  take(bytes: Uint8Array): string {
    const all = this.#cut.length === 0 ? bytes : Buffer.concat([this.#cut, bytes]);
    const end = endOfWhole(all);
    // A copy, because a view would keep the whole buffer in memory.
    this.#cut = end === all.length ? NOTHING : new Uint8Array(all.subarray(end));
    return this.#begin(utf8.decode(end === all.length ? all : all.subarray(0, end)));
  }

  /** The replacement for a character that was cut short. */
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

/** The start of the last incomplete character, or the end if there is none. */
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

/** The number of bytes of a character with this first byte. */
function sizeOf(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
