/** An idempotency key per input: a request that is sent again after a lost response has no second effect. */
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

  /** The response has arrived: the next request with the same input is a new one. */
  end(): void {
    this.#input = undefined;
  }
}

/** Not `randomUUID`, which browsers have in secure contexts only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
