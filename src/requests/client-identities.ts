/** In a text: a name of a few letters is found as a word, since it may be part of any other. */
const WORD = ["(?<![a-z0-9])", "(?![a-z0-9])"] as const;
/** In JSON: a short one is found as a whole string, since it may also be a number, or a word of the prompt. */
const JSON_STRING = ['(?<=")', '(?=")'] as const;

const SHORT = 4;
/** Of a longer one, its beginning is searched for, and all up to the next quote is replaced. */
const LONG = 256;

const PLACEHOLDER = "[redacted]";

/**
 * The end user and the conversation of a request, as its client names them. An account may store hashes of them, or nothing, and an end
 * user may be erased later: texts that are stored and may repeat them go through this. Private, so that no log prints them.
 */
export class ClientIdentities {
  readonly #users: readonly string[];
  readonly #conversations: readonly string[];

  /** The first of each is the name that counts. The others are hidden as well. */
  constructor(users: readonly string[], conversations: readonly string[]) {
    this.#users = users;
    this.#conversations = conversations;
  }

  get user(): string | undefined {
    return this.#users[0];
  }

  get conversation(): string | undefined {
    return this.#conversations[0];
  }

  /** Replaces them in the message of an upstream, which has received them. */
  hideIn(message: string): string {
    return this.#replaceIn(message, WORD);
  }

  /** Replaces them in a body. */
  hideInJson(body: string): string {
    return this.#replaceIn(body, JSON_STRING);
  }

  #replaceIn(text: string, edges: readonly [string, string]): string {
    // The longest first: one may be a part of another.
    const byLength = [...new Set([...this.#users, ...this.#conversations])].toSorted((one, other) => other.length - one.length);
    return text.replaceAll(new RegExp(byLength.map((name) => patternOf(name, edges)).join("|"), "gi"), PLACEHOLDER);
  }
}

function patternOf(name: string, [before, after]: readonly [string, string]): string {
  if (name.length > LONG) return `${spellingsOf(name.slice(0, LONG))}[^"]*`;
  return name.length < SHORT ? `${before}${spellingsOf(name)}${after}` : spellingsOf(name);
}

/** As it is, as JSON may escape it, and as in URLs and HTML. */
function spellingsOf(name: string): string {
  const inJson = name.split("").map(
    (unit) =>
      `(?:${escapesOf(unit)
        .map((escape) => RegExp.escape(escape))
        .join("|")})`,
  );
  const elsewhere = [encodeURIComponent(name.toWellFormed()), Bun.escapeHTML(name)].filter((spelling) => spelling !== name);
  return `(?:${[inJson.join(""), ...elsewhere.map((spelling) => RegExp.escape(spelling))].join("|")})`;
}

/** RFC 8259 §7: any character may be escaped by its number, and a slash by a backslash. */
function escapesOf(unit: string): string[] {
  const number = `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return [...new Set([unit, JSON.stringify(unit).slice(1, -1), number])].concat(unit === "/" ? "\\/" : []);
}
