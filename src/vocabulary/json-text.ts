/**
 * JSON as text: where its top-level fields stand, so that one of them can be replaced and every other byte stays as the caller
 * wrote it. Rebuilding a body costs five times as much, breaks the upstream's prompt cache and loses number spellings.
 */

/** One `"key": value` of the outermost object, as positions in the text. */
export interface JsonField {
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** How deep arrays and objects nest in `text`. Stops counting beyond `limit`, so that hostile nesting costs nothing. */
export function nestingDepth(text: string, limit: number): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at) - 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth++;
      if (depth > deepest) deepest = depth;
      if (deepest > limit) return deepest;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
    }
  }
  return deepest;
}

/** The fields of the outermost object, in order, repeated ones included. `text` must be a valid JSON object. */
export function topLevelFields(text: string): JsonField[] {
  const fields: JsonField[] = [];
  let at = text.indexOf("{") + 1;
  for (;;) {
    const start = skipTo(text, at, QUOTE);
    if (start < 0) return fields;
    const keyEnd = endOfString(text, start);
    const colon = text.indexOf(":", keyEnd);
    if (colon < 0) return fields;
    const valueStart = skipSpace(text, colon + 1);
    const valueEnd = endOfValue(text, valueStart);
    fields.push({ key: decodeKey(text.slice(start, keyEnd)), start, valueStart, valueEnd });
    at = valueEnd;
  }
}

/** `text` with the value of each named field replaced by the JSON given, or the field put in front where it was absent. */
export function withFields(text: string, changes: Readonly<Record<string, string>>): string {
  const fields = topLevelFields(text);
  let result = "";
  let copied = 0;
  for (const field of fields) {
    const replacement = Object.hasOwn(changes, field.key) ? changes[field.key] : undefined;
    if (replacement === undefined) continue;
    result += text.slice(copied, field.valueStart) + replacement;
    copied = field.valueEnd;
  }
  result += text.slice(copied);
  const present = new Set(fields.map((field) => field.key));
  const added = Object.entries(changes).filter(([key]) => !present.has(key));
  if (added.length === 0) return result;
  const open = result.indexOf("{") + 1;
  const members = added.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",");
  return result.slice(0, open) + members + (fields.length > 0 ? "," : "") + result.slice(open);
}

/** The position behind the closing quote of the string that opens at `open`. Native search skips long prompts at once. */
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

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (depth === 0 && (code === COMMA || code === CLOSE_BRACE)) return trimEnd(text, start, at);
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  return text.length;
}

/** The next `wanted` character behind separators and space, or -1 where something else comes first. */
function skipTo(text: string, from: number, wanted: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === COMMA) at++;
  return text.charCodeAt(at) === wanted ? at : -1;
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
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
