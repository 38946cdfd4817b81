import type { KeyRecord } from "../../access/api-key.ts";

/** The cache is emptied when it is full. */
const MAX_ENTRIES = 4096;

/**
 * The key record of each `Authorization` header that was valid before, so that a key is not hashed again for every request. An entry is
 * valid only while the store still has the same record object: rotating, changing or revoking a key replaces it.
 */
export class AuthorizationCache {
  readonly #records = new Map<string, KeyRecord>();

  find(authorization: string): KeyRecord | undefined {
    return this.#records.get(authorization);
  }

  note(authorization: string, record: KeyRecord): void {
    if (this.#records.size >= MAX_ENTRIES) this.#records.clear();
    this.#records.set(authorization, record);
  }
}
