import type { Account, Key } from "../../platform/interface.ts";

/** Something that pays for requests, or bounds what they may cost, as it is now. */
export interface Purse {
  readonly name: string;
  /** Dollars; null for credit, which has no bound. */
  readonly cap: string | null;
  readonly used: number;
  readonly left: number;
}

const CAPS = [
  ["day", "Daily cap"],
  ["month", "Monthly cap"],
  ["total", "Total cap"],
] as const;

/** The credit and the caps that a request of this key has to fit into. What is held for others counts as used. */
export function pursesOf(account: Account, key: Key | undefined): readonly Purse[] {
  const credit = { name: "Credit of the account", cap: null, used: Number(account.held), left: Number(account.available) };
  return [credit, ...capsOf("of the account", account), ...(key ? capsOf("of the key", key) : [])];
}

function capsOf(whose: string, { caps, spent, held }: Pick<Account, "caps" | "spent" | "held">): Purse[] {
  return CAPS.flatMap(([span, name]) => {
    const cap = caps[span];
    if (cap == null) return [];
    const used = Number(spent[span]) + Number(held);
    return [{ name: `${name} ${whose}`, cap, used, left: Number(cap) - used }];
  });
}
