import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, isSpace } from "./json-characters.ts";

const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const ESCAPED = /["\\/bfnrt]/;
const HEX = /[0-9a-fA-F]/;

/** The maximum nesting depth. Bounds memory: a text of brackets only would otherwise grow the stack without end. */
const MAX_DEPTH = 1_000;
const MAX_SCALAR_CHARS = 1_000;

/** The expected token. `"empty"` means a value or the end of the array that was just opened. */
type State = "value" | "empty" | "key" | "colon" | "after" | "string" | "escape" | "hex" | "scalar" | "wrong";

/**
 * An incremental JSON validator. It does not store the text: tool arguments are long, arrive a few characters at a time, and thousands of
 * streams run at once.
 */
export class JsonValidator {
  #state: State = "value";
  /** The open arrays and objects, outermost first: true for an object. */
  readonly #open: boolean[] = [];
  #isKey = false;
  #hexLeft = 0;
  #scalar = "";

  /** Whether the text so far is complete JSON. */
  get isComplete(): boolean {
    if (this.#open.length > 0) return false;
    return this.#state === "after" || (this.#state === "scalar" && SCALAR.test(this.#scalar));
  }

  feed(piece: string): void {
    let at = 0;
    while (at < piece.length) at = this.#state === "string" ? this.#skipString(piece, at) : this.#step(piece, at);
  }

  /** Continues inside a string, to its end or to the end of the piece. */
  #skipString(piece: string, start: number): number {
    for (let at = start; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (code === BACKSLASH) this.#state = "escape";
      else if (code === QUOTE) this.#state = this.#isKey ? "colon" : "after";
      else if (code < 0x20) this.#state = "wrong";
      else continue;
      return at + 1;
    }
    return piece.length;
  }

  /** Reads one character or scalar, and returns the position of the next. */
  #step(piece: string, at: number): number {
    const code = piece.charCodeAt(at);
    if (this.#state === "wrong") return piece.length;
    if (this.#state === "scalar") return this.#continueScalar(piece, at);
    if (this.#state === "escape") this.#escape(piece[at]!);
    else if (this.#state === "hex") this.#hex(piece[at]!);
    else if (!isSpace(code)) this.#token(piece, at, code);
    return at + 1;
  }

  #hex(digit: string): void {
    if (!HEX.test(digit)) this.#state = "wrong";
    else if (--this.#hexLeft === 0) this.#state = "string";
  }

  #escape(char: string): void {
    this.#state = char === "u" ? "hex" : ESCAPED.test(char) ? "string" : "wrong";
    this.#hexLeft = 4;
  }

  /** A number or a literal ends at the next token, which is then processed again. */
  #continueScalar(piece: string, at: number): number {
    if (isPartOfScalar(piece.charCodeAt(at))) {
      this.#scalar += piece[at]!;
      if (this.#scalar.length > MAX_SCALAR_CHARS) this.#state = "wrong";
      return at + 1;
    }
    this.#state = SCALAR.test(this.#scalar) ? "after" : "wrong";
    return at;
  }

  /** The first character of a token. */
  #token(piece: string, at: number, code: number): void {
    const state = this.#state;
    if (state === "after") this.#afterValue(code);
    else if (state === "colon") this.#state = code === COLON ? "value" : "wrong";
    else if (state === "empty" && (code === CLOSE_BRACE || code === CLOSE_BRACKET)) this.#close(code);
    else if (state === "key" || (state === "empty" && this.#open.at(-1))) this.#begin(code === QUOTE ? code : 0, true, "");
    else this.#begin(code, false, piece[at]!);
  }

  #afterValue(code: number): void {
    if (code === COMMA && this.#open.length > 0) this.#state = this.#open.at(-1) ? "key" : "value";
    else this.#close(code);
  }

  #close(code: number): void {
    const isObject = this.#open.pop();
    const isRight = isObject !== undefined && code === (isObject ? CLOSE_BRACE : CLOSE_BRACKET);
    this.#state = isRight ? "after" : "wrong";
  }

  #begin(code: number, isKey: boolean, char: string): void {
    this.#isKey = isKey;
    if (code === QUOTE) this.#state = "string";
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      this.#open.push(code === OPEN_BRACE);
      this.#state = this.#open.length > MAX_DEPTH ? "wrong" : "empty";
    } else {
      this.#scalar = char;
      this.#state = isPartOfScalar(code) ? "scalar" : "wrong";
    }
  }
}

/** Letters, digits, `+`, `-` and `.`. The complete scalar is validated at its end. */
function isPartOfScalar(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a) || code === 0x2d || code === 0x2e || code === 0x2b || code === 0x45
  );
}
