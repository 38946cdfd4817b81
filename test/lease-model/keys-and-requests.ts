import type { Attribution } from "../../src/money/attribution.ts";
import type { Purse } from "../../src/money/purse.ts";

export interface ModelKey {
  readonly id: string;
  readonly accountId: string;
  readonly attribution: Attribution | undefined;
}

/** The keys of a history. All requests of the last key are from one end user of its account, who has a spend cap. */
export const KEYS: readonly ModelKey[] = [
  { id: "a1", accountId: "a", attribution: undefined },
  { id: "a2", accountId: "a", attribution: undefined },
  { id: "b1", accountId: "b", attribution: { user: "u", counts: ["user@account"] } },
];

export const USER: Purse = { scope: "user", id: "account:b:u" };

/** The purses that pay for a request of a key. Account `a`'s first key has no spend cap, so nothing is leased for it. */
export function pursesOf({ id, accountId, attribution }: ModelKey): Purse[] {
  const account: Purse = { scope: "account", id: accountId };
  if (id === "a1") return [account];
  return attribution ? [account, { scope: "key", id }, USER] : [account, { scope: "key", id }];
}

/** Whether a charge is paid from this purse. The end user of account `b` makes all of its requests. */
export function isChargeOf({ scope, id }: Purse, charge: { readonly accountId: string; readonly keyId: string }): boolean {
  if (scope === "user") return charge.accountId === "b";
  return (scope === "account" ? charge.accountId : charge.keyId) === id;
}

/** The result of a request, as recorded by the process that served it. */
export interface ServedRequest {
  readonly process: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly amountNanos: bigint;
  /** The charge that the client saw; undefined while the request is in flight. Zero for a release. */
  charge: bigint | undefined;
  /** The charge of a settlement with an idempotent reply, which the client has not seen yet. */
  unseenCharge?: bigint;
}
