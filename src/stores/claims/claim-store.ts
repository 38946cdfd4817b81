/** The request that is in flight under a scope. */
export interface ClaimedRequest {
  /** Of its body. */
  readonly digest: string;
  readonly requestId: string;
  /** Resolves when its claim is released, and may sooner: a caller that waits claims again. */
  readonly released: Promise<void>;
}

/** The right of one request to be served under a scope. */
export interface Claim {
  /**
   * Ends the claim. Resolves when another request can claim the scope, or when the process that grants claims is away and will learn of it.
   * Never throws; calls after the first do nothing.
   */
  release(): Promise<void>;
}

/**
 * Idempotency claims: at most one request at a time is served under a scope, which is an API key with the client's `Idempotency-Key`. A
 * claim says who is in flight; replies of requests that have ended are in the ledger. Nothing here is durable: a request ends with its
 * process, and so does its claim.
 *
 * Where another process grants claims, `claim` and `find` fail with the 503 of `authorityAway` while it is away, and `claim` also while a
 * request is in flight in a process that is not connected: whether that has a reply is unknown.
 */
export interface ClaimStore {
  /**
   * Claims a scope for a request, or returns the request in flight that has claimed it. Of concurrent calls exactly one gets the claim. A
   * caller reads the stored reply afterwards: a request that ends between an earlier read and the claim would be served twice.
   */
  claim(scope: string, digest: string, requestId: string): Promise<Claim | ClaimedRequest>;
  /** The request in flight under a scope, if any. It may have ended when this resolves. */
  find(scope: string): Promise<ClaimedRequest | undefined>;
}
