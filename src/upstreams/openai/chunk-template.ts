const KEY = '"content":';
const QUOTE = '"';

/** Text that needs no JSON escapes: no quote, no backslash, no control characters. */
// oxlint-disable-next-line no-control-regex
const PLAIN = /^[^"\\\u0000-\u001f]*$/;

/**
 * The JSON around the text of a text-only chunk, as received and as sent. Nearly all chunks of a response differ from the previous one
 * only in that text, so the checks of the previous chunk hold for them too, and they are not parsed.
 */
export class ChunkTemplate {
  readonly #before: string;
  readonly #after: string;
  readonly #writtenBefore: string;
  readonly #writtenAfter: string;

  /** The template of an event with this text, which was sent as `written`. Undefined where the text's position is ambiguous. */
  static of(event: string, text: string, written: string): ChunkTemplate | undefined {
    const at = positionOf(event, text);
    const writtenAt = positionOf(written, text);
    if (at < 0 || writtenAt < 0) return undefined;
    return new ChunkTemplate(event, at, written, writtenAt, text.length);
  }

  private constructor(event: string, at: number, written: string, writtenAt: number, length: number) {
    this.#before = event.slice(0, at);
    this.#after = event.slice(at + length);
    this.#writtenBefore = written.slice(0, writtenAt);
    this.#writtenAfter = written.slice(writtenAt + length);
  }

  /** The text of an event that matches the template; undefined for any other event. */
  match(event: string): string | undefined {
    const end = event.length - this.#after.length;
    if (end < this.#before.length || !event.startsWith(this.#before) || !event.endsWith(this.#after)) return undefined;
    const text = event.slice(this.#before.length, end);
    return PLAIN.test(text) ? text : undefined;
  }

  render(text: string): string {
    return this.#writtenBefore + text + this.#writtenAfter;
  }
}

/** The position of the text as the value of the only `content` field; -1 where there is none, or the text is escaped. */
function positionOf(json: string, text: string): number {
  const key = json.indexOf(KEY);
  if (key < 0 || json.indexOf(KEY, key + 1) >= 0) return -1;
  const value = key + KEY.length;
  const at = json.startsWith(" ", value) ? value + 2 : value + 1;
  return json.startsWith(QUOTE + text + QUOTE, at - 1) && PLAIN.test(text) ? at : -1;
}
