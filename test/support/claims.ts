import type { Claim, ClaimedRequest, ClaimStore } from "../../src/stores/claims/claim-store.ts";

export async function claim(store: ClaimStore, scope: string, requestId: string): Promise<Claim> {
  const claimed = await store.claim(scope, `digest of ${requestId}`, requestId);
  if (!("release" in claimed)) throw new Error(`${scope} is claimed by ${claimed.requestId}`);
  return claimed;
}

export async function inFlight(store: ClaimStore, scope: string): Promise<ClaimedRequest> {
  const claimed = await store.claim(scope, "another digest", "another request");
  if ("release" in claimed) throw new Error(`${scope} was free`);
  return claimed;
}
