/** In a text, a name of a few letters is matched only as a whole word, since it may occur inside other words. */
const WORD = ["(?<![a-z0-9])", "(?![a-z0-9])"] as const;
/** In JSON, a short name is matched only as a whole string, since it may also be a number, or a word of the prompt. */
const JSON_STRING = ['(?<=")', '(?=")'] as const;

const SHORT = 4;
/** For a name longer than this, only its beginning is searched for, and everything up to the next quote is replaced. */
const LONG = 256;

const PLACEHOLDER = "[redacted]";

/**
 * The end user and the conversation of a request, as its client names them. An account may store hashes of them, or nothing, and an end
 * user may be erased later: stored texts that may repeat these names are filtered by this class. The fields are private, so that no log
 * prints them.
 */
export class ClientIdentities {
  readonly #users: readonly string[];
  readonly #conversations: readonly string[];

  /** The first name in each list is the one that is used. The others are replaced in texts as well. */
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

  /** Replaces the names in the message of an upstream, which has received them. */
  redactIn(message: string): string {
    return this.#replaceIn(message, WORD);
  }

  /** Replaces the names in a body. */
  redactInJson(body: string): string {
    return this.#replaceIn(body, JSON_STRING);
  }

  #replaceIn(text: string, edges: readonly [string, string]): string {
    // Longest first, because a name may be a part of another.
    const byLength = [...new Set([...this.#users, ...this.#conversations])].toSorted((one, other) => other.length - one.length);
    return text.replaceAll(new RegExp(byLength.map((name) => patternOf(name, edges)).join("|"), "gi"), PLACEHOLDER);
  }
}

function patternOf(name: string, [before, after]: readonly [string, string]): string {
  if (name.length > LONG) return `${spellingsOf(name.slice(0, LONG))}[^"]*`;
  return name.length < SHORT ? `${before}${spellingsOf(name)}${after}` : spellingsOf(name);
}

/** The name verbatim, as JSON may escape it, and as in URLs and HTML. */
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

/** RFC 8259 §7: any character may be escaped by its code, and a slash by a backslash. */
function escapesOf(unit: string): string[] {
  const number = `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return [...new Set([unit, JSON.stringify(unit).slice(1, -1), number])].concat(unit === "/" ? "\\/" : []);
}
