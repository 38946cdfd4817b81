import type { Account, Key } from "../../../../../platform-client/types.ts";
import { dollarsOf, nanosOf } from "../../../parts/format/dollars.ts";

/** The current state of the credit or of a spend cap. */
export interface Balance {
  readonly name: string;
  /** All amounts are US dollars. Null for credit, which has no cap. */
  readonly cap: string | null;
  readonly used: string;
  readonly remaining: string;
  readonly isUsedUp: boolean;
}

const CAPS = [
  ["day", "Daily spend cap"],
  ["month", "Monthly spend cap"],
  ["total", "Total spend cap"],
] as const;

/** The credit, unless its credit line is unlimited, and the spend caps that apply to requests with a key. Reservations of other requests count as used. */
export function balancesOf(account: Account, key: Key | undefined): readonly Balance[] {
  const { held: used, available: remaining } = account;
  const credit = remaining === null ? [] : [{ name: "Account credit", cap: null, used, remaining, isUsedUp: nanos(remaining) <= 0n }];
  return [...credit, ...capsOf("account", account), ...(key ? capsOf("key", key) : [])];
}

function capsOf(whose: string, { caps, spent, held }: Pick<Account, "caps" | "spent" | "held">): Balance[] {
  return CAPS.flatMap(([span, name]) => {
    const cap = caps[span];
    if (cap == null) return [];
    const used = nanos(spent[span]) + nanos(held);
    const remaining = nanos(cap) - used;
    return [{ name: `${name} of the ${whose}`, cap, used: dollarsOf(used), remaining: dollarsOf(remaining), isUsedUp: remaining <= 0n }];
  });
}

function nanos(dollars: string): bigint {
  return nanosOf(dollars) ?? 0n;
}
