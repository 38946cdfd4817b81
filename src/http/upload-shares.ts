/** The received bytes of unfinished uploads by account, with a maximum per account. */
export class UploadShares {
  readonly #maxBytes: number;
  readonly #bytes = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Whether an account may have more bytes of an upload, of which `countedBytes` are counted already. Its only upload may always have more:
   * it is bounded by the maximum body size, and every retry would be rejected otherwise.
   */
  hasRoom(account: string, bytes: number, countedBytes: number): boolean {
    const held = this.#bytes.get(account) ?? 0;
    return held + bytes <= this.#maxBytes || held === countedBytes;
  }

  add(account: string, bytes: number): void {
    this.#bytes.set(account, (this.#bytes.get(account) ?? 0) + bytes);
  }

  release(account: string, bytes: number): void {
    const left = (this.#bytes.get(account) ?? 0) - bytes;
    if (left > 0) this.#bytes.set(account, left);
    else this.#bytes.delete(account);
  }
}
