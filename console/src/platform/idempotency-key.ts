/** What is asked for, under a name of its own: sent again because the reply was lost, it is not made a second time. */
export class OnceName {
  #asked: string | undefined;
  #name = "";

  /** The same for as long as the same is asked for. */
  of(asked: object): string {
    const text = JSON.stringify(asked);
    if (text !== this.#asked) {
      this.#asked = text;
      this.#name = randomName();
    }
    return this.#name;
  }

  /** The reply has come: whoever asks for the same from now on wants another one. */
  end(): void {
    this.#asked = undefined;
  }
}

/** By hand: browsers have `randomUUID` only where the connection is safe. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
