import { fromByteText, toByteText, type ByteText } from "../text/byte-text.ts";
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./json-characters.ts";
import { standInFor } from "./omitted-text.ts";

/**
 * JSON as text: where its top-level fields stand, so that one of them can be replaced and every other byte stays as the caller
 * wrote it. Rebuilding a body costs more, breaks the upstream's prompt cache and loses number spellings.
 *
 * All functions here expect the text of a JSON object. For other text the results are meaningless, but every function terminates in one pass.
 */

/** One `"key": value` of the outermost object, as positions in the text. */
export interface JsonField {
  readonly key: string;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** How much a text may hold. */
export interface JsonLimits {
  /** Arrays and objects inside each other. */
  readonly maxDepth: number;
  /** Values separated by commas, wherever they stand. */
  readonly maxValues: number;
}

/** To look through a shorter string takes longer than to parse it. */
const LONG_CHARS = 256;

/** Characters that are invalid in a string, or valid only after a backslash. */
// oxlint-disable-next-line no-control-regex
const DOUBTFUL = /\\(?:[^"\\/bfnrtu]|u(?![\da-fA-F]{4}))|[\x00-\x1f]/;

const NO_LIMITS: JsonLimits = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

/** What is to be known of a body before it is parsed. */
export interface JsonOutline {
  /** Its fields, in order, repeated ones included. */
  readonly fields: readonly JsonField[];
  /**
   * The text without the long strings inside of lists and objects, which is next to all of a large prompt: another string stands in
   * for each. `JSON.parse` takes it if it takes the whole text, and not otherwise.
   */
  readonly text: ByteText;
  /** How many fields all of its objects have together, repeated ones included. */
  readonly fieldCount: number;
}

/** The outline of a byte text, or which of the limits it exceeds. */
export function outlineOf(bytes: ByteText, limits: JsonLimits): JsonOutline | keyof JsonLimits {
  const scanner = new FieldScanner(bytes, limits, keyInBytes, LONG_CHARS);
  const fields = fieldsIn(scanner);
  return scanner.exceeded ?? { fields, text: scanner.outline as ByteText, fieldCount: fields.length + scanner.nestedFields };
}

/** The fields of the object in a byte text, in order, repeated ones included. */
export function topLevelFields(bytes: ByteText): JsonField[] {
  return fieldsIn(new FieldScanner(bytes, NO_LIMITS, keyInBytes));
}

function fieldsIn(scanner: FieldScanner): JsonField[] {
  const fields: JsonField[] = [];
  for (let field = scanner.next(); field; field = scanner.next()) fields.push(field);
  return fields;
}

/**
 * `text` with the values of these fields replaced by the JSON given, or the fields put in front where they were absent. It comes in
 * pieces, the text between the changes in one each: to join them would be to copy a large prompt once more.
 */
export function withFields(text: ByteText, fields: readonly JsonField[], changes: Readonly<Record<string, ByteText>>): ByteText[] {
  const open = text.indexOf("{") + 1;
  const pieces = [text.slice(0, open) + membersAbsentFrom(fields, changes)];
  let copied = open;
  for (const { key, valueStart, valueEnd } of fields) {
    if (!Object.hasOwn(changes, key)) continue;
    pieces.push(text.slice(copied, valueStart), changes[key]!);
    copied = valueEnd;
  }
  pieces.push(text.slice(copied));
  return pieces as ByteText[];
}

/** Each with the comma after it, where something follows. */
function membersAbsentFrom(fields: readonly JsonField[], changes: Readonly<Record<string, ByteText>>): string {
  let added = "";
  for (const name in changes) {
    if (has(fields, name)) continue;
    added += `${added === "" ? "" : ","}${toByteText(JSON.stringify(name))}:${changes[name]!}`;
  }
  return added === "" || fields.length === 0 ? added : `${added},`;
}

/** A loop without closures: it runs for every request. */
function has(fields: readonly JsonField[], name: string): boolean {
  for (const { key } of fields) if (key === name) return true;
  return false;
}

/** `text` with these fields renamed, or omitted where they have no new name. */
export function withNames(text: ByteText, fields: readonly JsonField[], names: Readonly<Record<string, string | undefined>>): ByteText {
  const open = text.indexOf("{") + 1;
  let result = text.slice(0, open);
  let end = open;
  let isFirst = true;
  for (const { key, valueEnd } of fields) {
    const member = text.slice(end, valueEnd);
    end = valueEnd;
    const name = Object.hasOwn(names, key) ? names[key] : key;
    if (name === undefined) continue;
    // The comma precedes every member but the first, so it is omitted with the members before it.
    const separated = isFirst ? member.replace(/^\s*,/, "") : member;
    result += name === key ? separated : withName(separated, name);
    isFirst = false;
  }
  return (result + text.slice(end)) as ByteText;
}

function withName(member: string, name: string): string {
  const quote = member.indexOf('"');
  return member.slice(0, quote) + toByteText(JSON.stringify(name)) + member.slice(endOfString(member, quote));
}

/** As `withFields` for one field of any text, which must not be repeated. Reads no further than it must. */
export function withField(text: string, name: string, value: string): string {
  const scanner = new FieldScanner(text, NO_LIMITS, keyInText);
  let isEmpty = true;
  for (let field = scanner.next(); field; field = scanner.next()) {
    if (field.key === name) return text.slice(0, field.valueStart) + value + text.slice(field.valueEnd);
    isEmpty = false;
  }
  const open = text.indexOf("{") + 1;
  return `${text.slice(0, open)}${JSON.stringify(name)}:${value}${isEmpty ? "" : ","}${text.slice(open)}`;
}

/** Whether arrays and objects stand inside each other more often than so. Takes any text. */
export function isDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    else if ((code === OPEN_BRACE || code === OPEN_BRACKET) && ++depth > maxDepth) return true;
  }
  return false;
}

/** Reads the key that is written, in quotes, from `start` to `end`. */
type KeyIn = (text: string, start: number, end: number) => string;

/** Walks over the fields of the outermost object, hopping from quote to quote: long prompts cost next to nothing. */
class FieldScanner {
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #keyIn: KeyIn;
  readonly #longChars: number;
  #at: number;
  #values = 0;
  /** The outline, up to where the text was copied. */
  #outline = "";
  #copied = 0;
  exceeded: keyof JsonLimits | undefined;
  /** The fields of all objects inside of the outermost one. */
  nestedFields = 0;

  constructor(text: string, limits: JsonLimits, keyIn: KeyIn, longChars = Number.POSITIVE_INFINITY) {
    this.#text = text;
    this.#limits = limits;
    this.#keyIn = keyIn;
    this.#longChars = longChars;
    this.#at = text.indexOf("{") + 1;
  }

  get outline(): string {
    return this.#copied === 0 ? this.#text : this.#outline + this.#text.slice(this.#copied);
  }

  next(): JsonField | undefined {
    const text = this.#text;
    const start = skipSpace(text, text.charCodeAt(this.#at) === COMMA ? this.#at + 1 : this.#at);
    if (text.charCodeAt(start) !== QUOTE) return undefined;
    const keyEnd = endOfString(text, start);
    const colon = skipSpace(text, keyEnd);
    if (text.charCodeAt(colon) !== COLON) return undefined;
    const valueStart = skipSpace(text, colon + 1);
    const valueEnd = this.#endOfValue(valueStart);
    return { key: this.#keyIn(text, start, keyEnd), valueStart, valueEnd };
  }

  /** Where the value ends. Leaves the scanner at the comma or brace behind it, or at the end of what it is willing to read. */
  #endOfValue(start: number): number {
    const text = this.#text;
    const { maxDepth, maxValues } = this.#limits;
    let depth = 1;
    for (let at = start; at < text.length && !this.exceeded; at++) {
      const code = text.charCodeAt(at);
      if (code === COMMA && ++this.#values > maxValues) this.exceeded = "maxValues";
      if (code === QUOTE) {
        const end = endOfString(text, at);
        if (depth > 1 && end - at > this.#longChars && !isName(text, end)) this.#leaveOut(at + 1, end - 1);
        at = end - 1;
      } else if (code === COLON) {
        this.nestedFields++;
      } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        if (++depth > maxDepth) this.exceeded = "maxDepth";
      } else if (depth === 1 && (code === COMMA || code === CLOSE_BRACE)) {
        this.#at = at;
        return trimEnd(text, start, at);
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        depth--;
      }
    }
    this.#at = text.length;
    return text.length;
  }

  /**
   * Leaves what is inside of a string out of the outline. What may be wrong with it stays, and `JSON.parse` says whether it is. A
   * string without an end is in an object without one, which is refused whatever is left of it.
   */
  #leaveOut(start: number, end: number): void {
    if (DOUBTFUL.test(this.#text.slice(start, end))) return;
    this.#outline += this.#text.slice(this.#copied, start) + standInFor(start, end);
    this.#copied = end;
  }
}

/** Whether the string that ends here is the name of a field. It stays, so that two of one object can be compared. */
function isName(text: string, end: number): boolean {
  return text.charCodeAt(skipSpace(text, end)) === COLON;
}

/** The position after the closing quote of the string that opens at `open`. */
export function endOfString(text: string, open: number): number {
  let quote = text.indexOf('"', open + 1);
  while (quote > 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote < 0 ? text.length : quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** The position of the next character that is not whitespace. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Keys may be spelled with escapes: `"\u006dodel"` is `model` to every parser, so it must be to us. */
function keyInText(text: string, start: number, end: number): string {
  const key = text.slice(start + 1, end - 1);
  if (!key.includes("\\")) return key;
  const quoted = text.slice(start, end);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}

function keyInBytes(bytes: string, start: number, end: number): string {
  const quoted = fromByteText(bytes.slice(start, end) as ByteText);
  return keyInText(quoted, 0, quoted.length);
}
