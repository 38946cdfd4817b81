import type { Facts } from "../../http/log.ts";
import type { SettleEntry } from "../../vocabulary/ledger-entry.ts";
import { formatDollars } from "../../vocabulary/money.ts";

/** Puts what a request came to into its log line. */
export function recordCharge({ usage, provenance, amountNanos }: SettleEntry, facts: Facts): void {
  facts["prompt_tokens"] = usage.promptTokens;
  facts["completion_tokens"] = usage.completionTokens;
  facts["provenance"] = provenance;
  facts["cost"] = formatDollars(amountNanos);
}
