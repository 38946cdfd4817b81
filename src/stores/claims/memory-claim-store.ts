import type { Claim, ClaimedRequest, ClaimStore } from "./claim-store.ts";

/** Idempotency claims of the requests of this process. */
export class MemoryClaimStore implements ClaimStore {
  readonly #inFlight = new Map<string, ClaimedRequest>();

  async claim(scope: string, digest: string, requestId: string): Promise<Claim | ClaimedRequest> {
    const inFlight = this.#inFlight.get(scope);
    if (inFlight) return inFlight;
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const claimed: ClaimedRequest = { digest, requestId, released };
    this.#inFlight.set(scope, claimed);
    return {
      release: async () => {
        // A second call must not end the claim of the next request.
        if (this.#inFlight.get(scope) === claimed) this.#inFlight.delete(scope);
        resolve();
      },
    };
  }

  async find(scope: string): Promise<ClaimedRequest | undefined> {
    return this.#inFlight.get(scope);
  }
}
