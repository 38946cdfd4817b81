/** Locating the error takes longer than parsing, so it is bounded: a large invalid body must not stall the gateway. */
const MAX_SEARCHED_CHARS = 1_000_000;

/** Describes where a text that `JSON.parse` rejected stops being JSON. The engine does not report the position. */
export function describeSyntaxError(text: string): string {
  if (text.length > MAX_SEARCHED_CHARS) return "it is too long to say where";
  const at = syntaxErrorOffset(text);
  if (at === undefined || at >= text.length) return "it ends too early";
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = at - before.lastIndexOf("\n");
  return `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))} at line ${line}, column ${column}`;
}

/** The offset of the first invalid character, or undefined if the text is valid JSON. */
export function syntaxErrorOffset(text: string): number | undefined {
  try {
    const end = skipSpace(text, endOfValue(text, 0));
    return end === text.length ? undefined : end;
  } catch (error) {
    if (error instanceof MisplacedCharacter) return error.at;
    throw error;
  }
}

class MisplacedCharacter extends Error {
  readonly at: number;

  constructor(at: number) {
    super();
    this.at = at;
  }
}

const SPACE = /[ \t\r\n]*/y;
// The class is every character from the space on, except the quote and the backslash.
const STRING_BODY = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function endOfValue(text: string, start: number): number {
  const at = skipSpace(text, start);
  if (text[at] === "{") return endOfList(text, at + 1, "}", endOfMember);
  if (text[at] === "[") return endOfList(text, at + 1, "]", endOfValue);
  if (text[at] === '"') return endOfString(text, at);
  const end = skip(LITERAL, text, at);
  if (end === at) throw new MisplacedCharacter(at);
  return end;
}

function endOfList(text: string, start: number, close: string, endOfItem: (text: string, start: number) => number): number {
  let at = skipSpace(text, start);
  if (text[at] === close) return at + 1;
  for (;;) {
    at = skipSpace(text, endOfItem(text, at));
    if (text[at] === close) return at + 1;
    at = expectCharacter(",", text, at);
  }
}

function endOfMember(text: string, start: number): number {
  const keyEnd = endOfString(text, skipSpace(text, start));
  return endOfValue(text, expectCharacter(":", text, skipSpace(text, keyEnd)));
}

function endOfString(text: string, start: number): number {
  return expectCharacter('"', text, skip(STRING_BODY, text, expectCharacter('"', text, start)));
}

function expectCharacter(character: string, text: string, at: number): number {
  if (text[at] !== character) throw new MisplacedCharacter(at);
  return at + 1;
}

function skipSpace(text: string, at: number): number {
  return skip(SPACE, text, at);
}

/** The position after the pattern's match here, which may be empty. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
