/** Text that must not be printed. Logs, errors, JSON and string templates show a placeholder; only `reveal` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Two secrets look alike to every general comparison, because what they hold is hidden from it. */
  equals(other: Secret | undefined): boolean {
    return other !== undefined && this.#value === other.#value;
  }

  /** Its last four characters, by which people tell one from another; null where it is so short that they would give it away. */
  lastFour(): string | null {
    return this.#value.length >= 12 ? this.#value.slice(-4) : null;
  }

  /** Redacts this secret in `text`, for messages from a server that has received it. */
  redactFrom(text: string): string {
    return this.#spellings().reduce((rest, spelling) => rest.replaceAll(spelling, "[secret]"), text);
  }

  /** As it is, and as it is written in an address, in JSON and in markup. */
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
