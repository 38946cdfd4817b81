import type { BodyMemory } from "../lib/http1/server/body-memory.ts";
import type { UploadRejection } from "../requests/upload-rejections.ts";
import { UploadShares } from "./upload-shares.ts";

/** What most requests have. */
const SMALL_BODY_BYTES = 64 * 1024;
/** The share that only small bodies may use. A few callers with large uploads could otherwise stop all requests. */
const SMALL_SHARE = 1 / 16;
/** The half of it that only the platform may use: operators must be able to act while callers of models use up the rest. */
const PLATFORM_SHARE = 1 / 32;
/** What the unfinished uploads of one account may take. One key could otherwise take all of the budget with uploads that it never ends. */
const ACCOUNT_SHARE = 1 / 4;

/** The memory that all request bodies of a process may take together: every byte received, until no step uses it any more. */
export class BodyBudget implements BodyMemory {
  readonly maxBytes: number;
  readonly rejected: Record<UploadRejection, number>;
  readonly uploads: UploadShares;
  readonly #maxBytesOfLarge: number;
  readonly #maxBytesOfSmall: number;
  readonly #held: { bytes: number };

  constructor(maxBytes: number, sharedWith?: BodyBudget) {
    this.maxBytes = maxBytes;
    this.#maxBytesOfLarge = maxBytes * (1 - SMALL_SHARE);
    this.#maxBytesOfSmall = sharedWith ? maxBytes : maxBytes * (1 - PLATFORM_SHARE);
    this.#held = sharedWith ? sharedWith.#held : { bytes: 0 };
    this.uploads = sharedWith ? sharedWith.uploads : new UploadShares(maxBytes * ACCOUNT_SHARE);
    this.rejected = sharedWith ? sharedWith.rejected : noneRejected();
  }

  /** The same budget, with the part of it that only the platform may use. */
  forPlatform(): BodyBudget {
    return new BodyBudget(this.maxBytes, this);
  }

  get heldBytes(): number {
    return this.#held.bytes;
  }

  /** Counts more bytes of a body, which is `bodyBytes` long with them. False where the budget has no room: then none are counted. */
  take(bytes: number, bodyBytes: number): boolean {
    const held = this.#held.bytes + bytes;
    if (held > (bodyBytes <= SMALL_BODY_BYTES ? this.#maxBytesOfSmall : this.#maxBytesOfLarge)) return false;
    this.#held.bytes = held;
    return true;
  }

  release(bytes: number): void {
    this.#held.bytes -= bytes;
  }

  noteRejected(reason: UploadRejection): void {
    this.rejected[reason]++;
  }
}

function noneRejected(): Record<UploadRejection, number> {
  return { no_credit: 0, rate_limit: 0, one_at_a_time: 0, account_share: 0, budget: 0, deadline: 0 };
}
