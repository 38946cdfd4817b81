/** One idempotency key per input: a request that is sent again after a lost response has no second effect. */
export class IdempotencyKey {
  #input: string | undefined;
  #key = "";

  /** The key is stable while the input is the same. */
  of(input: object): string {
    const text = JSON.stringify(input);
    if (text !== this.#input) {
      this.#input = text;
      this.#key = randomKey();
    }
    return this.#key;
  }

  /** Called when the response has arrived: the next request with the same input gets a new key. */
  end(): void {
    this.#input = undefined;
  }
}

/** Not `randomUUID`, which browsers provide only in secure contexts. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
