const KEY = '"content":';
const QUOTE = '"';

/** What stands in JSON as it is said: no quote, no backslash, nothing below a blank. */
// oxlint-disable-next-line no-control-regex
const PLAIN = /^[^"\\\u0000-\u001f]*$/;

/**
 * What stands around the text of a chunk that has nothing else to say, as it came and as it went on. Nearly all chunks of an answer
 * differ from the one before in that text alone, so what was found out about it is true of them: they need not be parsed.
 */
export class TextFrame {
  readonly #before: string;
  readonly #behind: string;
  readonly #writtenBefore: string;
  readonly #writtenBehind: string;

  /** The frame of an event whose only text is this, and which went on in these words. None where it cannot be told for sure. */
  static of(event: string, text: string, written: string): TextFrame | undefined {
    const at = placeOf(event, text);
    const writtenAt = placeOf(written, text);
    if (at < 0 || writtenAt < 0) return undefined;
    return new TextFrame(event, at, written, writtenAt, text.length);
  }

  private constructor(event: string, at: number, written: string, writtenAt: number, length: number) {
    this.#before = event.slice(0, at);
    this.#behind = event.slice(at + length);
    this.#writtenBefore = written.slice(0, writtenAt);
    this.#writtenBehind = written.slice(writtenAt + length);
  }

  /** The text of an event that has the same around it; undefined of any other. */
  textIn(event: string): string | undefined {
    const end = event.length - this.#behind.length;
    if (end < this.#before.length || !event.startsWith(this.#before) || !event.endsWith(this.#behind)) return undefined;
    const text = event.slice(this.#before.length, end);
    return PLAIN.test(text) ? text : undefined;
  }

  around(text: string): string {
    return this.#writtenBefore + text + this.#writtenBehind;
  }
}

/** Where a text begins that is the value of `content`, of which there is one; -1 where it is not so, or not written as it is said. */
function placeOf(json: string, text: string): number {
  const key = json.indexOf(KEY);
  if (key < 0 || json.indexOf(KEY, key + 1) >= 0) return -1;
  const value = key + KEY.length;
  const at = json.startsWith(" ", value) ? value + 2 : value + 1;
  return json.startsWith(QUOTE + text + QUOTE, at - 1) && PLAIN.test(text) ? at : -1;
}
