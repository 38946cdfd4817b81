import type { Purse } from "../../src/money/purse.ts";

/** The keys of a history. */
export const KEYS = [
  { id: "a1", accountId: "a" },
  { id: "a2", accountId: "a" },
  { id: "b1", accountId: "b" },
] as const;

export type ModelKey = (typeof KEYS)[number];

/** The purses that a request of a key is paid from. Account `a`'s first key has no spend cap, so nothing is leased for it. */
export function pursesOf({ id, accountId }: ModelKey): Purse[] {
  const account: Purse = { scope: "account", id: accountId };
  return id === "a1" ? [account] : [account, { scope: "key", id }];
}

/** What happened to a request, by the process that served it. */
export interface ServedRequest {
  readonly process: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly amountNanos: bigint;
  /** The charge that its caller saw; undefined while it is in flight. Zero for a release. */
  charge: bigint | undefined;
  /** The charge of a settlement with an idempotent reply, which its caller has not seen yet. */
  unseenCharge?: bigint;
}
