import { hasCaps } from "../../money/headroom.ts";
import type { Nanos } from "../../money/money.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Purse } from "../../money/purse.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { Gateway } from "../gateway.ts";
import { CREDIT_CODES } from "./insufficient-credit.ts";
import { countSpending, NONE_CAPPED, type CappedPurse } from "./capped-purses.ts";
import { assess, type Assessment, type ReceivedRequest } from "./assess.ts";

/** The part of the credit that this process has leased is too small for a request. The account may have more. */
export class LeaseShortage {
  readonly purses: readonly Purse[];
  readonly nanos: Nanos;

  constructor(purses: readonly Purse[], nanos: Nanos) {
    this.purses = purses;
    this.nanos = nanos;
  }
}

/**
 * Assesses a request in a process that has leased a part of the credit. Returns the shortage where it would be rejected, or its output
 * shortened, because of credit or a spend cap: more is leased before that happens.
 */
export function assessWithinLease(received: ReceivedRequest, gateway: Gateway): Assessment | LeaseShortage {
  try {
    const assessment = assess(received, gateway);
    return isShort(assessment) ? shortageOf(received, gateway) : assessment;
  } catch (error) {
    if (error instanceof ApiError && CREDIT_CODES.has(error.code)) return shortageOf(received, gateway);
    throw error;
  }
}

/** Whether more credit would allow more output, or another fallback. */
function isShort({ hold, fallbacks: { candidates, excluded } }: Assessment): boolean {
  return (
    hold.isShortened || candidates.some(({ isShortened }) => isShortened) || excluded.some(({ reason }) => reason === "not_affordable")
  );
}

/** Leases what a request needs, where this process has leased too little, and adds up spending. For callers that only report, and hold nothing. */
export async function leaseFor(received: ReceivedRequest, gateway: Gateway): Promise<void> {
  await countSpending(received.caller, gateway.accountOf(received.caller), received.attribution, gateway.ledger);
  if (!gateway.ledger.widen) return;
  const assessed = assessWithinLease(received, gateway);
  if (assessed instanceof LeaseShortage) await gateway.ledger.widen(assessed.purses, assessed.nanos);
}

/** The purses that a request of this key is paid from. A key without spend caps has none, and so have end users and tags without. */
export function pursesOf(caller: KeyRecord, account: Account, capped: readonly CappedPurse[] = NONE_CAPPED): readonly Purse[] {
  const purses: Purse[] = [{ scope: "account", id: account.id }];
  if (hasCaps(caller.caps)) purses.push({ scope: "key", id: caller.id });
  for (const { purse } of capped) purses.push(purse);
  return purses;
}

/** The whole cost bound of the request, as if the credit had no end. */
function shortageOf(received: ReceivedRequest, gateway: Gateway): LeaseShortage {
  const { heldNanos, account, capped } = assess(received, gateway, undefined, () => []);
  return new LeaseShortage(pursesOf(received.caller, account, capped), heldNanos);
}
