import type { BodyMemory } from "../lib/http1/server/body-memory.ts";
import type { UploadRejection } from "../requests/upload-rejections.ts";

/** Bodies up to this size count as small. Most request bodies are small. */
const SMALL_BODY_BYTES = 64 * 1024;
/** The share reserved for small bodies, so that a few large uploads cannot block all requests. */
const SMALL_SHARE = 1 / 16;
/**
 * The part of the small share that is reserved for the platform (half of it): operators must be able to act while clients of the gateway
 * use the rest.
 */
const PLATFORM_SHARE = 1 / 32;
/** The share for the unfinished uploads of one account, so that one key cannot take the whole budget with uploads that never end. */
const ACCOUNT_SHARE = 1 / 4;

/** The memory budget of all request bodies of the process: every received byte counts until no step of the request needs it. */
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

  /** The same budget, including the platform's reserve. */
  forPlatform(): BodyBudget {
    return new BodyBudget(this.maxBytes, this);
  }

  get heldBytes(): number {
    return this.#held.bytes;
  }

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

/** The received bytes of unfinished uploads by account, with a maximum per account. */
class UploadShares {
  readonly #maxBytes: number;
  readonly #bytes = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Whether an account may receive more bytes of an upload; `countedBytes` of this upload are counted already. The only upload of an
   * account always has room: it is bounded by the maximum body size, and otherwise every retry would be rejected.
   */
  hasRoom(account: string, bytes: number, countedBytes: number): boolean {
    const held = this.#bytes.get(account) ?? 0;
    return held + bytes <= this.#maxBytes || held === countedBytes;
  }

  add(account: string, bytes: number): void {
    this.#bytes.set(account, (this.#bytes.get(account) ?? 0) + bytes);
  }

  release(account: string, bytes: number): void {
    const left = (this.#bytes.get(account) ?? 0) - bytes;
    if (left > 0) this.#bytes.set(account, left);
    else this.#bytes.delete(account);
  }
}
