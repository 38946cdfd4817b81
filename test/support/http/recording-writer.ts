import type { BodyWriter } from "../../../src/lib/http1/server/reply.ts";

/** A caller that reads data only when the test allows it. */
export class RecordingWriter implements BodyWriter {
  readonly pieces: string[] = [];
  /** How the reply ended. */
  outcome: "complete" | "aborted" | undefined;
  unsentBytes = 0;
  readonly #ended = Promise.withResolvers<void>();
  #waiting: (() => void)[] = [];
  #isStalled = false;

  get text(): string {
    return this.pieces.join("");
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get isDrained(): boolean {
    return this.unsentBytes === 0;
  }

  /** From now on the caller reads nothing. */
  stall(): void {
    this.#isStalled = true;
  }

  /** Resolves when this many pieces have arrived. */
  async has(count: number): Promise<void> {
    while (this.pieces.length < count) await Bun.sleep(1);
  }

  write(piece: string): number {
    this.pieces.push(piece);
    if (this.#isStalled) this.unsentBytes += piece.length;
    return piece.length;
  }

  drained(): Promise<void> {
    return this.isDrained ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  end(): void {
    this.outcome = "complete";
    this.#ended.resolve();
  }

  abort(): void {
    this.outcome = "aborted";
    for (const go of this.#waiting) go();
    this.#ended.resolve();
  }
}
