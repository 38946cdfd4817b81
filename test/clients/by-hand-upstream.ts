import { GOOD_CHUNKS, manualStream, rawEvents, type Script } from "../support/upstreams/mock-upstream.ts";

/** An upstream that starts with "Hello" and leaves the rest of its stream to the test. */
export class ByHandUpstream {
  #latest = manualStream();

  readonly script: Script = () => {
    this.#latest = manualStream();
    this.write(`data: ${GOOD_CHUNKS[0]}\n\ndata: ${GOOD_CHUNKS[1]}\n\n`);
    return rawEvents(this.#latest.stream);
  };

  /** Resolves when the gateway has cancelled the latest call. */
  get cancelled(): Promise<void> {
    return this.#latest.cancelled;
  }

  write(text: string): void {
    this.#latest.write(text);
  }

  end(): void {
    this.#latest.end();
  }
}
