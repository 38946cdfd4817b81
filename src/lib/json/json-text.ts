import { fromByteText, toByteText, type ByteText } from "../text/byte-text.ts";
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, isSpace } from "./json-characters.ts";
import { LONG_STRING, writtenPlaceholderFor } from "./omitted-text.ts";
import type { Path } from "../schema/schema.ts";

/**
 * JSON as text: the positions of its top-level fields, so that one of them can be replaced while every other byte stays as the client sent
 * it. Serializing a body again costs more, breaks the upstream's prompt cache and changes the spelling of numbers.
 *
 * All functions here expect the text of a JSON object. For other text the results are meaningless, but every function terminates in one
 * pass.
 */

/** One `"key": value` of the outermost object, as positions in the text. */
export interface JsonField {
  readonly key: string;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** Characters that are invalid in a string, or valid only after a backslash. */
// oxlint-disable-next-line no-control-regex
const DOUBTFUL = /\\(?:[^"\\/bfnrtu]|u(?![\da-fA-F]{4}))|[\x00-\x1f]/;

const NO_LIMITS: JsonLimits = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

/** The limits of a JSON text. */
export interface JsonLimits {
  /** The nesting depth of arrays and objects. */
  readonly maxDepth: number;
  /** The number of values separated by commas, at any depth. */
  readonly maxValues: number;
}

/** The limits are far above real requests. Without them, the stack would overflow (at some 100,000 levels), or the process would stall. */
export const JSON_LIMITS: JsonLimits = { maxDepth: 256, maxValues: 200_000 };

/** The structure of a body, found before it is parsed. */
export interface JsonOutline {
  /** The fields of the body, in order, including repeated ones. */
  readonly fields: readonly JsonField[];
  /**
   * The text with placeholders for the long strings inside arrays and objects, which make up nearly all of a large prompt. `JSON.parse`
   * accepts it if and only if it accepts the whole text.
   */
  readonly text: ByteText;
  /** The number of fields of all its objects, including repeated ones. */
  readonly fieldCount: number;
}

/** The outline of a byte text, or the limit that it exceeds. */
export function outlineOf(bytes: ByteText, limits: JsonLimits): JsonOutline | keyof JsonLimits {
  const scanner = new FieldScanner(bytes, limits, keyInBytes, LONG_STRING);
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
 * `text` with the values of these fields replaced by the given JSON; absent fields are added at the front. The result is returned in
 * pieces, because joining them would copy a large prompt once more.
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

/** The fields, each with a comma after it if another field follows. */
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

/** `text` with these fields renamed, or omitted if they have no new name. */
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
    // The comma precedes every member except the first, so it is omitted if all members before it are omitted.
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

/** As `withFields`, for one field of a plain text. The field must not be repeated. Stops reading at the field. */
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

/** The text of a field's value, or undefined if there is no such field. Stops reading at the field. */
export function fieldOf(text: string, name: string): string | undefined {
  const scanner = new FieldScanner(text, NO_LIMITS, keyInText);
  for (let field = scanner.next(); field; field = scanner.next()) {
    if (field.key === name) return text.slice(field.valueStart, field.valueEnd);
  }
  return undefined;
}

/** Reads the quoted key from `start` to `end`. */
type KeyIn = (text: string, start: number, end: number) => string;

/** Scans the fields of the outermost object. It jumps from quote to quote, so that scanning long prompts costs almost nothing. */
class FieldScanner {
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #keyIn: KeyIn;
  readonly #longChars: number;
  #at: number;
  #values = 0;
  /** The outline so far. */
  #outline = "";
  #copied = 0;
  exceeded: keyof JsonLimits | undefined;
  /** The number of fields of all nested objects. */
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

  /** The end of the value. Leaves the scanner at the comma or brace after the value, or at the position where it reached a limit. */
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
   * Omits the contents of a string from the outline. Suspicious characters stay, so that `JSON.parse` validates them. An unterminated
   * string is in an unterminated object, which is rejected in any case.
   */
  #leaveOut(start: number, end: number): void {
    if (DOUBTFUL.test(this.#text.slice(start, end))) return;
    this.#outline += this.#text.slice(this.#copied, start) + writtenPlaceholderFor(start, end);
    this.#copied = end;
  }
}

/** Whether the string that ends here is the name of a field. Names stay in the outline, so that repeated names are found. */
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

/**
 * The number of fields in all objects of a parsed value, where a repeated name counts once. In the outline of the text, it counts each
 * time.
 */
export function countFields(value: object): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null) count += countFields(item as object);
    return count;
  }
  for (const name in value) {
    const field = (value as Record<string, unknown>)[name];
    count += typeof field === "object" && field !== null ? 1 + countFields(field) : 1;
  }
  return count;
}

/** An open object or array. */
interface Level {
  /** The names so far; undefined for an array. */
  readonly names: Set<string> | undefined;
  /** The name or the index of the value that is being read. */
  step: string | number;
}

/**
 * The path of the first name that is repeated in its object. Expects the text of a JSON value. Of `{"content":"a","content":"b"}` some
 * parsers take the first and some the last (RFC 8259 §4), so the gateway and an upstream could read different requests from one body.
 */
export function findRepeatedName(text: string): Path | undefined {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE) levels.push({ names: new Set(), step: "" });
    else if (code === OPEN_BRACKET) levels.push({ names: undefined, step: 0 });
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) levels.pop();
    else if (code === COMMA) nextItem(levels.at(-1));
    else if (code === QUOTE) {
      const end = endOfString(text, at);
      const isField = text.charCodeAt(skipSpace(text, end)) === COLON;
      if (isField && isRepeated(levels.at(-1), JSON.parse(text.slice(at, end)) as string)) return levels.map(({ step }) => step);
      at = end - 1;
    }
  }
  return undefined;
}

function nextItem(level: Level | undefined): void {
  if (typeof level?.step === "number") level.step++;
}

function isRepeated(level: Level | undefined, name: string): boolean {
  if (!level?.names) return false;
  level.step = name;
  if (level.names.has(name)) return true;
  level.names.add(name);
  return false;
}
