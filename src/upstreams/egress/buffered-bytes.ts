import { ApiError } from "../../requests/api-error.ts";

/** The memory that all unfinished responses may use together. Real traffic stays far below; a few hostile upstreams would not. */
const MAX_ALL_BYTES = 256 * 1024 * 1024;

/** The memory that each response may always use, so that large responses do not affect responses of usual length. */
const ALWAYS_FREE_BYTES = 256 * 1024;

/**
 * The buffered bytes of one unfinished response. Each response has its own bound, but the bounds add up: a hundred concurrent large
 * responses would exhaust the memory of this process.
 */
export class BufferedBytes {
  static #all = 0;
  #own = 0;

  /** Sets the current size. Throws if the sum over all responses is too large. */
  hold(bytes: number): void {
    BufferedBytes.#all += bytes - this.#own;
    this.#own = bytes;
    if (bytes <= ALWAYS_FREE_BYTES || BufferedBytes.#all <= MAX_ALL_BYTES) return;
    this.hold(0);
    throw new ApiError("overloaded", "There are too many large responses in flight. Please try again in 5s.", {
      retryAfterSeconds: 5,
      detail: `the responses in flight would take more than ${MAX_ALL_BYTES} bytes`,
    });
  }
}
