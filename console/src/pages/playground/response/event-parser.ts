/** The result of parsing a chunk of bytes. */
interface ParsedBytes {
  /** The decoded text. */
  readonly text: string;
  /** The data of the completed events. */
  readonly events: readonly string[];
}

/**
 * Parses server-sent events from a byte stream, split at any position (WHATWG HTML §9.2.6). An event without its final blank line is
 * dropped, so that an interrupted stream yields no partial event.
 */
export class EventParser {
  readonly #utf8 = new TextDecoder();
  #line = "";
  #data: string[] = [];
  #endedInCarriageReturn = false;

  feed(bytes: Uint8Array): ParsedBytes {
    const text = this.#utf8.decode(bytes, { stream: true });
    return { text, events: this.#take(text) };
  }

  #take(text: string): string[] {
    if (text === "") return [];
    // The LF of a CRLF that was split.
    const rest = this.#endedInCarriageReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#endedInCarriageReturn = text.endsWith("\r");
    const lines = rest.split(/\r\n|\r|\n/);
    lines[0] = this.#line + lines[0]!;
    this.#line = lines.pop()!;
    return lines.flatMap((line) => this.#readLine(line));
  }

  #readLine(line: string): string[] {
    if (line === "") return this.#endEvent();
    const data = /^data(?:$|: ?)/.exec(line);
    if (data) this.#data.push(line.slice(data[0].length));
    return [];
  }

  #endEvent(): string[] {
    if (this.#data.length === 0) return [];
    const event = this.#data.join("\n");
    this.#data = [];
    return [event];
  }
}
