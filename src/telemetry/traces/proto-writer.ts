const FIRST_BYTES = 16 * 1024;
/** The longest content with a one-byte length. */
const MAX_SHORT_CHARS = 127;

/** Wire types, by field (https://protobuf.dev/programming-guides/encoding/). */
const VARINT = 0;
const EIGHT_BYTES = 1;
const BY_LENGTH = 2;
const FOUR_BYTES = 5;

const MAX_SMALL = 0x7fffffffn;

/** Writes a Protocol Buffers message. Fields are written in call order. */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  /** The bytes written since the last call. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  /** Discards an incomplete message. */
  clear(): void {
    this.#length = 0;
  }

  /** Begins a nested message and returns the argument for `end`. The length prefix of the message is known only at its end. */
  begin(field: number): number {
    this.#tag(field, BY_LENGTH);
    this.#reserve(1);
    return ++this.#length;
  }

  end(start: number): void {
    const size = this.#length - start;
    const shift = bytesOfVarint(size) - 1;
    if (shift > 0) {
      this.#reserve(shift);
      this.#bytes.copyWithin(start + shift, start, this.#length);
    }
    // The buffer is large enough. It must not be reallocated while a nested message is open.
    this.#length = start - 1;
    this.#put(size);
    this.#length += size;
  }

  text(field: number, text: string): void {
    this.#tag(field, BY_LENGTH);
    if (text.length <= MAX_SHORT_CHARS && this.#shortText(text)) return;
    const size = Buffer.byteLength(text);
    this.#varint(size);
    this.#reserve(size);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /**
   * Writes a text if it is short ASCII, and returns whether it was. Most texts are short ASCII, for which a native call would cost more
   * than this loop.
   */
  #shortText(text: string): boolean {
    this.#reserve(1 + text.length);
    const start = this.#length + 1;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 127) return false;
      this.#bytes[start + at] = code;
    }
    this.#bytes[this.#length] = text.length;
    this.#length = start + text.length;
    return true;
  }

  /** Writes encoded messages, each with its field tag. */
  written(messages: readonly Uint8Array[]): void {
    for (const message of messages) {
      this.#reserve(message.length);
      this.#bytes.set(message, this.#length);
      this.#length += message.length;
    }
  }

  /** Writes bytes given as hexadecimal digits, such as ids. */
  hex(field: number, digits: string): void {
    this.#tag(field, BY_LENGTH);
    this.#varint(digits.length / 2);
    this.#reserve(digits.length / 2);
    this.#length += this.#bytes.write(digits, this.#length, "hex");
  }

  bool(field: number, value: boolean): void {
    this.#tag(field, VARINT);
    this.#varint(value ? 1 : 0);
  }

  /** A small number, such as an enum value. */
  small(field: number, value: number): void {
    this.#tag(field, VARINT);
    this.#varint(value);
  }

  int64(field: number, value: bigint): void {
    this.#tag(field, VARINT);
    if (value >= 0n && value <= MAX_SMALL) return this.#varint(Number(value));
    let left = BigInt.asUintN(64, value);
    this.#reserve(10);
    for (; left > 127n; left >>= 7n) this.#bytes[this.#length++] = Number(left & 127n) | 128;
    this.#bytes[this.#length++] = Number(left);
  }

  double(field: number, value: number): void {
    this.#tag(field, EIGHT_BYTES);
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  fixed64(field: number, value: bigint): void {
    this.#tag(field, EIGHT_BYTES);
    this.#reserve(8);
    this.#length = this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#length);
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, FOUR_BYTES);
    this.#reserve(4);
    this.#length = this.#bytes.writeUInt32LE(value, this.#length);
  }

  #tag(field: number, kind: number): void {
    this.#varint(field * 8 + kind);
  }

  /** A varint in the range of lengths. */
  #varint(value: number): void {
    this.#reserve(5);
    this.#put(value);
  }

  #put(value: number): void {
    let left = value;
    for (; left > 127; left = Math.floor(left / 128)) this.#bytes[this.#length++] = (left % 128) | 128;
    this.#bytes[this.#length++] = left;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function bytesOfVarint(value: number): number {
  let bytes = 1;
  for (let left = value; left > 127; left = Math.floor(left / 128)) bytes++;
  return bytes;
}
