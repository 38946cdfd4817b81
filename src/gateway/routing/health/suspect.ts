/** The accounts whose calls have failed: none, one alone, or several. One alone may have caused the failures with its requests. */
export class Suspect {
  #account: string | undefined;
  #isEmpty = true;

  /** Undefined for a call whose account is unknown, which counts as several. */
  note(account: string | undefined): void {
    this.#account = this.#isEmpty || this.#account === account ? account : undefined;
    this.#isEmpty = false;
  }

  clear(): void {
    this.#isEmpty = true;
    this.#account = undefined;
  }

  /** The account, where it is one alone. */
  get account(): string | undefined {
    return this.#account;
  }
}
