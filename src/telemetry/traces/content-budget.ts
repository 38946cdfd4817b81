/** How much of what was said is told, in characters. What is more is cut off, and that is said too. */
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

  /** As much of a text as there is room for. */
  take(text: string): string {
    const taken = text.slice(0, Math.max(0, this.#left));
    this.#left -= text.length;
    if (taken.length < text.length) this.#isCut = true;
    return taken;
  }

  /** Whether there is room for one more thing; what stands around a text counts a little too. */
  takeOne(): boolean {
    this.#left -= CHARS_AROUND;
    if (this.isSpent) this.#isCut = true;
    return !this.isSpent;
  }
}

const CHARS_AROUND = 64;
