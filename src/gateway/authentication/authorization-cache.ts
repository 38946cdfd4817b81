import type { KeyRecord } from "../../access/api-key.ts";

/** More callers than have something to say at a time. Beyond it all are forgotten, and told apart anew. */
const MAX_TEXTS = 4096;

/**
 * Which key an `Authorization` header has opened before: whoever calls again and again need not be hashed again each time. What is
 * known is good only while the store still has that very record: to rotate, change or revoke a key makes another one.
 */
export class AuthorizationCache {
  readonly #records = new Map<string, KeyRecord>();

  find(authorization: string): KeyRecord | undefined {
    return this.#records.get(authorization);
  }

  note(authorization: string, record: KeyRecord): void {
    if (this.#records.size >= MAX_TEXTS) this.#records.clear();
    this.#records.set(authorization, record);
  }
}
