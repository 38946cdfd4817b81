/** Text that must not be printed. Logs, errors, JSON and string templates show a placeholder; only `reveal` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Generic comparisons cannot see the private field, and would find any two secrets equal. */
  equals(other: Secret | undefined): boolean {
    return other !== undefined && this.#value === other.#value;
  }

  /** The last four characters of the secret, to identify it; null if the secret is too short to reveal them. */
  lastFour(): string | null {
    return this.#value.length >= 12 ? this.#value.slice(-4) : null;
  }

  /** Redacts this secret in `text`, for messages from a server that has received it. */
  redactFrom(text: string): string {
    return this.#spellings().reduce((rest, spelling) => rest.replaceAll(spelling, "[secret]"), text);
  }

  /** The plain text, and its encodings in URLs, JSON and HTML. */
  #spellings(): string[] {
    const value = this.#value;
    return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), Bun.escapeHTML(value)];
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[secret]";
  }
}
