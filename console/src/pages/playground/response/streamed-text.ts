/** Text that arrives in chunks, for views that append instead of rendering everything again. */
export class StreamedText {
  #text = "";
  readonly #listeners = new Set<(chunk: string) => void>();

  get text(): string {
    return this.#text;
  }

  append(chunk: string): void {
    if (chunk === "") return;
    this.#text += chunk;
    for (const notify of this.#listeners) notify(chunk);
  }

  /** Calls back for every chunk from now on. */
  listen(notify: (chunk: string) => void): () => void {
    this.#listeners.add(notify);
    return () => this.#listeners.delete(notify);
  }
}
