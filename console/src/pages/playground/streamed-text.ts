/** Text that comes in pieces, for views that append what is new instead of drawing all of it again. */
export class GrowingText {
  #text = "";
  readonly #listeners = new Set<(piece: string) => void>();

  get text(): string {
    return this.#text;
  }

  append(piece: string): void {
    if (piece === "") return;
    this.#text += piece;
    for (const hear of this.#listeners) hear(piece);
  }

  /** Tells of every piece from now on. */
  listen(hear: (piece: string) => void): () => void {
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }
}
