import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./json-characters.ts";
import { endOfString, type JsonLimits } from "./json-text.ts";

/**
 * The limits of JSON texts that are strings inside another text, such as the arguments of tool calls. All such texts share one limit on the
 * number of values, so that a thousand texts cost no more than one.
 */
export class JsonBudget {
  readonly #maxDepth: number;
  #valuesLeft: number;

  constructor({ maxDepth, maxValues }: JsonLimits) {
    this.#maxDepth = maxDepth;
    this.#valuesLeft = maxValues;
  }

  /** Counts the values of a text before it is parsed. Returns the limit that the text exceeds. Accepts any text. */
  take(text: string): keyof JsonLimits | undefined {
    let depth = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = endOfString(text, at) - 1;
      else if (code === COMMA && --this.#valuesLeft < 0) return "maxValues";
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
      else if ((code === OPEN_BRACE || code === OPEN_BRACKET) && ++depth > this.#maxDepth) return "maxDepth";
    }
    return undefined;
  }
}

/** Whether arrays and objects are nested more deeply than this. Accepts any text. */
export function isDeeperThan(text: string, maxDepth: number): boolean {
  return new JsonBudget({ maxDepth, maxValues: Number.POSITIVE_INFINITY }).take(text) !== undefined;
}

/** Whether a text is JSON within the limits. */
export function isJsonWithin(text: string, budget: JsonBudget): boolean {
  if (budget.take(text) !== undefined) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
