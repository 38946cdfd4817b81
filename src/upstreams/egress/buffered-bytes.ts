import { GatewayError } from "../../requests/gateway-error.ts";

/** What all unfinished replies may take together. Real traffic stays far below; a few hostile upstreams would not. */
const MAX_ALL_BYTES = 256 * 1024 * 1024;

/** What each may take whatever the others do: nobody with an answer of usual length suffers for those. */
const ALWAYS_FREE_BYTES = 256 * 1024;

/**
 * How much of a reply is kept because its end has not come yet. Each reply has a bound of its own, but bounds add up: a hundred
 * large replies at a time are within it and would still be the end of this process.
 */
export class BufferedBytes {
  static #all = 0;
  #own = 0;

  /** Says how much it is from now on. Throws where that is too much, beside all others. */
  hold(bytes: number): void {
    BufferedBytes.#all += bytes - this.#own;
    this.#own = bytes;
    if (bytes <= ALWAYS_FREE_BYTES || BufferedBytes.#all <= MAX_ALL_BYTES) return;
    this.hold(0);
    throw new GatewayError("overloaded", "There are too many large answers at this moment. Please try again in 5s.", {
      retryAfterSeconds: 5,
      detail: `the answers under way would take more than ${MAX_ALL_BYTES} bytes`,
    });
  }
}
