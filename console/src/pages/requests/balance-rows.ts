import type { Account, Key } from "../../platform/interface.ts";
import { dollarsOf, nanosOf } from "../../parts/dollars.ts";

/** Something that pays for requests, or bounds what they may cost, as it is now. */
export interface Purse {
  readonly name: string;
  /** Dollars, as all of these; null for credit, which has no bound. */
  readonly cap: string | null;
  readonly used: string;
  readonly left: string;
  readonly isEmpty: boolean;
}

const CAPS = [
  ["day", "Daily cap"],
  ["month", "Monthly cap"],
  ["total", "Total cap"],
] as const;

/** The credit and the caps that a request of this key has to fit into. What is held for others counts as used. */
export function pursesOf(account: Account, key: Key | undefined): readonly Purse[] {
  const { held: used, available: left } = account;
  const credit = { name: "Credit of the account", cap: null, used, left, isEmpty: nanos(left) <= 0n };
  return [credit, ...capsOf("of the account", account), ...(key ? capsOf("of the key", key) : [])];
}

function capsOf(whose: string, { caps, spent, held }: Pick<Account, "caps" | "spent" | "held">): Purse[] {
  return CAPS.flatMap(([span, name]) => {
    const cap = caps[span];
    if (cap == null) return [];
    const used = nanos(spent[span]) + nanos(held);
    const left = nanos(cap) - used;
    return [{ name: `${name} ${whose}`, cap, used: dollarsOf(used), left: dollarsOf(left), isEmpty: left <= 0n }];
  });
}

function nanos(dollars: string): bigint {
  return nanosOf(dollars) ?? 0n;
}
