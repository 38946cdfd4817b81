import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { Attribution, CountedBy } from "../../money/attribution.ts";
import { dimensionsOf, hasParts, partOf, purseOf } from "../../money/breakdown.ts";
import type { Caps } from "../../money/limits.ts";
import type { Purse } from "../../money/purse.ts";
import type { Spender } from "../../money/tally.ts";
import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";

/** An end user or a tag of a request that has spend caps of its own. */
export interface CappedPurse {
  readonly purse: Purse;
  readonly counted: CountedBy;
  readonly caps: Caps;
}

export const NONE_CAPPED: readonly CappedPurse[] = [];

/** The end user and the tags of a request that have spend caps on its key or its account. A request without an end user is of the user `none`. */
export function cappedPurses(caller: KeyRecord, account: Account, attribution: Attribution | undefined): readonly CappedPurse[] {
  if (!hasParts(caller.caps) && !hasParts(account.caps)) return NONE_CAPPED;
  return [...cappedOn("key", caller.id, caller.caps, attribution), ...cappedOn("account", account.id, account.caps, attribution)];
}

/**
 * Counts what the end user and the tags of a request have spent, where a spend cap is used for the first time. Undefined where that is counted, or
 * where there is no such cap: nearly always.
 */
export function countSpending(
  caller: KeyRecord,
  account: Account,
  attribution: Attribution | undefined,
  ledger: LedgerStore,
): Promise<void> | undefined {
  const capped = cappedPurses(caller, account, attribution);
  return capped.length === 0 ? undefined : ledger.startCounting?.(capped.map(({ purse }) => purse));
}

function cappedOn(owner: Spender, ownerId: string, caps: Caps, attribution: Attribution | undefined): CappedPurse[] {
  return dimensionsOf(caps).map((by) => {
    const purse = purseOf({ owner, ownerId, by }, attribution);
    return { purse, counted: `${by}@${owner}`, caps: { ...partOf(caps, by)!, totalNanos: null } };
  });
}
