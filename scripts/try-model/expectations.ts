/** The expectations of one check. Each mismatch is recorded, and the check continues, so that one run shows all mismatches. */
export class Expectations {
  readonly mismatches: string[] = [];

  equal(what: string, received: unknown, expected: unknown): void {
    if (!Bun.deepEquals(received, expected)) this.#add(what, shorten(expected), received);
  }

  contains(what: string, received: string, expected: string): void {
    if (!received.includes(expected)) this.#add(what, `to contain ${shorten(expected)}`, received);
  }

  /** `expected` describes the condition. */
  that(what: string, isMet: boolean, expected: string, received: unknown): void {
    if (!isMet) this.#add(what, expected, received);
  }

  #add(what: string, expected: string, received: unknown): void {
    this.mismatches.push(`${what}: expected ${expected}, received ${shorten(received)}`);
  }
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
