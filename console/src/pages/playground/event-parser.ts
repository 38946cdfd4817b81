/** What some bytes of an event stream brought. */
export interface Arrived {
  /** The bytes as text, as they came. */
  readonly text: string;
  /** The data of the events that they complete. */
  readonly events: readonly string[];
}

/**
 * Cuts a byte stream into server-sent events, wherever the network has split it (WHATWG HTML §9.2.6). An event whose blank line has
 * not come is none: of a stream that is cut, nothing half is taken for whole.
 */
export class EventParser {
  readonly #utf8 = new TextDecoder();
  #line = "";
  #data: string[] = [];
  #endedInCarriageReturn = false;

  feed(bytes: Uint8Array): Arrived {
    const text = this.#utf8.decode(bytes, { stream: true });
    return { text, events: this.#take(text) };
  }

  #take(text: string): string[] {
    if (text === "") return [];
    // The second half of a line end that was split in two.
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
