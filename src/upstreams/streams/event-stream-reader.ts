import type { StreamReader } from "../dialect.ts";
import { truncatedResponse, unparsableResponse } from "../refusal.ts";
import { EventTooLarge, MAX_EVENT_CHARS } from "./read-events.ts";

/**
 * The frames of `application/vnd.amazon.eventstream`: total length, length of the headers and CRC32 of both (the prelude), headers,
 * payload, CRC32 of everything before it. https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html
 */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const MIN_FRAME_BYTES = PRELUDE_BYTES + CHECKSUM_BYTES;

/** The bytes of a header's value by its type: two booleans, five numbers, bytes and text (their length comes first), a time, a UUID. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16] as const;
const TEXT_TYPE = 7;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Splits a byte stream into frames, however the network split it. An event is the JSON text `{"<type>": <payload>}`, an exception has the
 * same form with its own type, and an error is `{"error": {"code", "message"}}`. A frame is buffered only once its prelude is found intact,
 * and never beyond the size of any other event.
 */
export class EventStreamReader implements StreamReader {
  /**
   * The frame that is being buffered, at its full size: for small reads, a list of chunks would cost a hundred times the received bytes.
   */
  #held = Buffer.alloc(PRELUDE_BYTES);
  #heldBytes = 0;
  /** The number of buffered bytes of the frame, or of its prelude until the prelude has arrived. */
  #neededBytes = PRELUDE_BYTES;

  get heldChars(): number {
    return this.#heldBytes;
  }

  *feed(bytes: Uint8Array): Generator<string> {
    // Pieces of a large frame are only collected: joining them each time would take quadratic time.
    if (this.#heldBytes + bytes.length < this.#neededBytes) return this.#hold(bytes);
    const all = Buffer.concat([this.#held.subarray(0, this.#heldBytes), bytes]);
    this.#heldBytes = 0;
    let start = 0;
    for (;;) {
      const left = all.length - start;
      this.#neededBytes = left < PRELUDE_BYTES ? PRELUDE_BYTES : frameBytesAt(all, start);
      if (left < this.#neededBytes) break;
      yield eventIn(all.subarray(start, start + this.#neededBytes));
      start += this.#neededBytes;
    }
    this.#hold(all.subarray(start));
  }

  /** A frame without its end means that the body was cut short. */
  end(): readonly string[] {
    if (this.#heldBytes > 0) throw truncatedResponse("the stream ended within a frame");
    return [];
  }

  /** A copy, because a view would keep the whole buffer of the connection in memory. */
  #hold(bytes: Uint8Array): void {
    if (this.#held.length !== this.#neededBytes && this.#heldBytes === 0) this.#held = Buffer.alloc(this.#neededBytes);
    this.#held.set(bytes, this.#heldBytes);
    this.#heldBytes += bytes.length;
  }
}

/** The length of a frame, from its prelude. */
function frameBytesAt(all: Buffer, start: number): number {
  const bytes = all.readUInt32BE(start);
  const headerBytes = all.readUInt32BE(start + 4);
  const checksumAt = start + PRELUDE_BYTES - CHECKSUM_BYTES;
  if (Bun.hash.crc32(all.subarray(start, checksumAt)) !== all.readUInt32BE(checksumAt))
    throw unparsableResponse("a prelude with a wrong checksum");
  if (bytes < MIN_FRAME_BYTES || headerBytes > bytes - MIN_FRAME_BYTES) throw unparsableResponse("a frame of an impossible length");
  if (bytes > MAX_EVENT_CHARS) throw new EventTooLarge();
  return bytes;
}

function eventIn(frame: Buffer): string {
  const checksumAt = frame.length - CHECKSUM_BYTES;
  if (Bun.hash.crc32(frame.subarray(0, checksumAt)) !== frame.readUInt32BE(checksumAt))
    throw unparsableResponse("a frame with a wrong checksum");
  const payloadAt = PRELUDE_BYTES + frame.readUInt32BE(4);
  const headers = textHeadersIn(frame.subarray(PRELUDE_BYTES, payloadAt));
  const kind = headers.get(":message-type");
  if (kind === "error") {
    return JSON.stringify({ error: { code: headers.get(":error-code"), message: headers.get(":error-message") } });
  }
  const type = headers.get(kind === "exception" ? ":exception-type" : ":event-type");
  if (type === undefined || (kind !== "event" && kind !== "exception")) throw unparsableResponse("a frame of an unknown kind");
  return `{${JSON.stringify(type)}:${utf8.decode(frame.subarray(payloadAt, checksumAt)) || "{}"}}`;
}

/** The headers whose value is text; others are skipped. */
function textHeadersIn(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  try {
    for (let at = 0; at < bytes.length;) {
      const typeAt = at + 1 + bytes.readUInt8(at);
      const type = bytes.readUInt8(typeAt);
      if (type >= VALUE_BYTES.length) throw new RangeError("type");
      const fixed = VALUE_BYTES[type];
      const valueAt = typeAt + (fixed === undefined ? 3 : 1);
      const end = valueAt + (fixed ?? bytes.readUInt16BE(typeAt + 1));
      if (end > bytes.length) throw new RangeError("length");
      if (type === TEXT_TYPE) headers.set(utf8.decode(bytes.subarray(at + 1, typeAt)), utf8.decode(bytes.subarray(valueAt, end)));
      at = end;
    }
  } catch {
    throw unparsableResponse("a frame with malformed headers");
  }
  return headers;
}
