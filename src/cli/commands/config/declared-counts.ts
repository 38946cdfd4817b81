import { inCount } from "../../words.ts";

/** How many of each a config file declares. */
export interface DeclaredCounts {
  readonly upstreams: number;
  readonly models: number;
  readonly accounts: number;
}

export function describeCounts({ upstreams, models, accounts }: DeclaredCounts): string {
  return `${inCount(upstreams, "upstream")}, ${inCount(models, "model")} and ${inCount(accounts, "account")}`;
}
