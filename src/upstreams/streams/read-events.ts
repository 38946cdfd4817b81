import type { StreamReader } from "../dialect.ts";

/** An event larger than this is an attack or a defect: real upstreams stay far below. */
export const MAX_EVENT_CHARS = 4 * 1024 * 1024;

const LINE_END = /[\r\n]/;

export class EventTooLarge extends Error {
  constructor() {
    super("an event without an end");
  }
}

/**
 * Splits a byte stream into the data of its server-sent events, however the network split it. Comments, event names, IDs and retry hints
 * are dropped: some clients of the chat-completions format fail on each of them.
 */
export class EventReader implements StreamReader {
  readonly #utf8 = new Utf8Pieces();
  #rest: string[] = [];
  #restChars = 0;
  #data: string[] = [];
  #dataChars = 0;

  /** The buffered part of an incomplete event. */
  get heldChars(): number {
    return this.#restChars + this.#dataChars;
  }

  /** The data of the events that these bytes complete. */
  feed(bytes: Uint8Array): string[] {
    return this.#take(this.#utf8.take(bytes));
  }

  /** The last event, if the upstream closed the connection without the blank line after it. */
  end(): string[] {
    return this.#take(`${this.#utf8.end()}\n\n`);
  }

  #take(text: string): string[] {
    // Pieces of a long line are only collected: joining and searching them each time would take quadratic time.
    if (!LINE_END.test(text)) {
      this.#rest.push(text);
      this.#restChars += text.length;
      if (this.#restChars > MAX_EVENT_CHARS) throw new EventTooLarge();
      return [];
    }
    let unread = text;
    if (this.#restChars > 0) {
      unread = this.#rest.join("") + text;
      this.#rest = [];
      this.#restChars = 0;
    }
    // A line may end in CR, LF or both; a CR at the border may be the first half of a pair, so it waits.
    if (unread.includes("\r")) unread = unread.replaceAll(/\r\n|\r(?!$)/g, "\n");
    const events: string[] = [];
    let start = 0;
    for (let end = unread.indexOf("\n"); end >= 0; end = unread.indexOf("\n", start)) {
      this.#line(unread.slice(start, end), events);
      start = end + 1;
    }
    // Most reads hold complete events, and nothing remains.
    if (start < unread.length) {
      this.#rest.push(unread.slice(start));
      this.#restChars = unread.length - start;
    }
    return events;
  }

  #line(line: string, events: string[]): void {
    if (line === "") {
      if (this.#data.length > 0) events.push(this.#data.length === 1 ? this.#data[0]! : this.#data.join("\n"));
      this.#data = [];
      this.#dataChars = 0;
    } else if (line.startsWith("data:")) {
      this.#data.push(line.charCodeAt(5) === 0x20 ? line.slice(6) : line.slice(5));
      this.#dataChars += line.length;
      if (this.#dataChars > MAX_EVENT_CHARS) throw new EventTooLarge();
    }
  }
}

const NOTHING = new Uint8Array();
const BYTE_ORDER_MARK = "\ufeff";

/** Decodes complete text only: the state between the pieces of a stream is kept here, without a decoder for each stream. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes a byte stream, even if the network split a character. A leading byte order mark is dropped. */
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
