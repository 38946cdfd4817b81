import { isObject } from "../lib/schema/schema.ts";

type Json = Readonly<Record<string, unknown>>;

const KEY = '"content"';
const QUOTE = '"';

/** Text that needs no JSON escapes: no quote, no backslash, no control characters. */
// oxlint-disable-next-line no-control-regex
const PLAIN = /^[^"\\\u0000-\u001f]*$/;

/**
 * The JSON around the text of a chunk that has only text. Nearly all chunks of a response differ from the previous one only in that text, so
 * they need not be parsed.
 */
export class TextChunk {
  readonly #before: string;
  readonly #after: string;

  /** The template of a chunk with this text. Undefined if the text's position is ambiguous. */
  static of(json: string, text: string): TextChunk | undefined {
    const at = positionOf(json, text);
    return at < 0 ? undefined : new TextChunk(json.slice(0, at), json.slice(at + text.length));
  }

  private constructor(before: string, after: string) {
    this.#before = before;
    this.#after = after;
  }

  /** The text of a chunk that differs only in its text; undefined for any other chunk. */
  match(json: string): string | undefined {
    const end = json.length - this.#after.length;
    if (end < this.#before.length || !json.startsWith(this.#before) || !json.endsWith(this.#after)) return undefined;
    const text = json.slice(this.#before.length, end);
    return PLAIN.test(text) ? text : undefined;
  }

  /** The chunk with this text, which needs no escapes. */
  render(text: string): string {
    return this.#before + text + this.#after;
  }
}

/** The position of the text as the value of the only `content` field; -1 if there is none, or the text is escaped. */
function positionOf(json: string, text: string): number {
  const key = json.indexOf(KEY);
  if (key < 0 || json.indexOf(KEY, key + 1) >= 0) return -1;
  const value = key + KEY.length + 1;
  if (json[value - 1] !== ":") return -1;
  const at = json.startsWith(" ", value) ? value + 2 : value + 1;
  return json.startsWith(QUOTE + text + QUOTE, at - 1) && PLAIN.test(text) ? at : -1;
}

/** The text of the only choice of a chunk, if it has nothing but text, and no finish reason. */
export function onlyTextIn({ choices }: Json): string | undefined {
  const [choice, ...others] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  if (!isObject(choice) || others.length > 0 || choice["finish_reason"] !== null || !isObject(choice["delta"])) return undefined;
  const { delta } = choice;
  for (const name in delta) if (name !== "content") return undefined;
  const { content } = delta;
  return typeof content === "string" ? content : undefined;
}
