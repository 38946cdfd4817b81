/** The character budget for message content. Content above it is truncated and marked as such. */
export class ContentBudget {
  #left: number;
  #isCut = false;

  constructor(chars: number) {
    this.#left = chars;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** The part of a text that fits. */
  take(text: string): string {
    const taken = text.slice(0, Math.max(0, this.#left));
    this.#left -= text.length;
    if (taken.length < text.length) this.#isCut = true;
    return taken;
  }

  /** Whether another part fits; the structure around a text counts a little too. */
  takeOne(): boolean {
    this.#left -= CHARS_AROUND;
    if (this.isSpent) this.#isCut = true;
    return !this.isSpent;
  }
}

const CHARS_AROUND = 64;
