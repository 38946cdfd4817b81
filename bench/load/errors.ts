/** Further kinds are counted together. Otherwise messages with request IDs would make the result endless. */
const MAX_KINDS = 20;

/** Errors by kind, with counts. */
export class Errors {
  readonly #counts = new Map<string, number>();

  add(what: string): void {
    const kind = this.#counts.has(what) || this.#counts.size < MAX_KINDS - 1 ? what : "others";
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /** The last fields of every result. */
  verdict(): { ok: boolean; errors: Record<string, number> } {
    return { ok: this.#counts.size === 0, errors: Object.fromEntries(this.#counts) };
  }
}
