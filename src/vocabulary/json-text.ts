import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./json-characters.ts";

/**
 * JSON as text: where its top-level fields stand, so that one of them can be replaced and every other byte stays as the caller
 * wrote it. Rebuilding a body costs more, breaks the upstream's prompt cache and loses number spellings.
 *
 * Everything here takes the text of a JSON object. On other text the answers mean nothing, but they come, and in one pass.
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

const NO_LIMITS: JsonLimits = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

/** The fields of the object, in order, repeated ones included; or which of the limits it exceeds. */
export function topLevelFields(text: string, limits: JsonLimits = NO_LIMITS): JsonField[] | keyof JsonLimits {
  const fields: JsonField[] = [];
  const scanner = new FieldScanner(text, limits);
  for (let field = scanner.next(); field; field = scanner.next()) fields.push(field);
  return scanner.exceeded ?? fields;
}

/** `text` with the values of these fields replaced by the JSON given, or the fields put in front where they were absent. */
export function withFields(text: string, fields: readonly JsonField[], changes: Readonly<Record<string, string>>): string {
  let result = "";
  let copied = 0;
  for (const { key, valueStart, valueEnd } of fields) {
    if (!Object.hasOwn(changes, key)) continue;
    result += text.slice(copied, valueStart) + changes[key]!;
    copied = valueEnd;
  }
  result += text.slice(copied);
  const added: string[] = [];
  for (const name in changes) if (!fields.some(({ key }) => key === name)) added.push(`${JSON.stringify(name)}:${changes[name]!}`);
  return added.length === 0 ? result : withMembers(result, added, fields.length === 0);
}

/** `text` with these fields under other names, or left out where there is none. */
export function withNames(text: string, fields: readonly JsonField[], names: Readonly<Record<string, string | undefined>>): string {
  const open = text.indexOf("{") + 1;
  let result = text.slice(0, open);
  let end = open;
  let isFirst = true;
  for (const { key, valueEnd } of fields) {
    const member = text.slice(end, valueEnd);
    end = valueEnd;
    const name = Object.hasOwn(names, key) ? names[key] : key;
    if (name === undefined) continue;
    // The comma stands in front of every member but the first, so it goes with the ones that are left out before it.
    const separated = isFirst ? member.replace(/^\s*,/, "") : member;
    result += name === key ? separated : withName(separated, name);
    isFirst = false;
  }
  return result + text.slice(end);
}

function withName(member: string, name: string): string {
  const quote = member.indexOf('"');
  return member.slice(0, quote) + JSON.stringify(name) + member.slice(endOfString(member, quote));
}

/** As `withFields` for one field, which must not be repeated. Reads no further than it must. */
export function withField(text: string, name: string, value: string): string {
  const scanner = new FieldScanner(text, NO_LIMITS);
  let isEmpty = true;
  for (let field = scanner.next(); field; field = scanner.next()) {
    if (field.key === name) return text.slice(0, field.valueStart) + value + text.slice(field.valueEnd);
    isEmpty = false;
  }
  return withMembers(text, [`${JSON.stringify(name)}:${value}`], isEmpty);
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

function withMembers(text: string, members: readonly string[], isEmpty: boolean): string {
  const open = text.indexOf("{") + 1;
  return text.slice(0, open) + members.join(",") + (isEmpty ? "" : ",") + text.slice(open);
}

/** Walks over the fields of the outermost object, hopping from quote to quote: long prompts cost next to nothing. */
class FieldScanner {
  readonly #text: string;
  readonly #limits: JsonLimits;
  #at: number;
  #values = 0;
  exceeded: keyof JsonLimits | undefined;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
    this.#at = text.indexOf("{") + 1;
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
    return { key: decodeKey(text.slice(start, keyEnd)), valueStart, valueEnd };
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
        at = endOfString(text, at) - 1;
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
}

/** The position behind the closing quote of the string that opens at `open`. */
function endOfString(text: string, open: number): number {
  let quote = text.indexOf('"', open + 1);
  while (quote > 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote < 0 ? text.length : quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function skipSpace(text: string, from: number): number {
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
function decodeKey(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}
