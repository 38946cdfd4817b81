import type { UploadRejection } from "../vocabulary/upload-rejections.ts";

/** What most requests have. */
const SMALL_BODY_BYTES = 64 * 1024;
/** The share that only small bodies may use. A few callers with large uploads could otherwise stop all requests. */
const SMALL_SHARE = 1 / 16;

/** The memory that all request bodies of a process may take together: every byte received, until no step uses it any more. */
export class BodyBudget {
  readonly maxBytes: number;
  readonly rejected: Record<UploadRejection, number> = { no_credit: 0, rate_limit: 0, one_at_a_time: 0, budget: 0, deadline: 0 };
  readonly #maxBytesOfLarge: number;
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
    this.#maxBytesOfLarge = maxBytes * (1 - SMALL_SHARE);
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Counts more bytes of a body, which is `bodyBytes` long with them. False where the budget has no room: then none are counted. */
  take(bytes: number, bodyBytes: number): boolean {
    const held = this.#heldBytes + bytes;
    if (held > (bodyBytes <= SMALL_BODY_BYTES ? this.maxBytes : this.#maxBytesOfLarge)) return false;
    this.#heldBytes = held;
    return true;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  noteRejected(reason: UploadRejection): void {
    this.rejected[reason]++;
  }
}
