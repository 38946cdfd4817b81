import type { Account } from "../../vocabulary/account.ts";
import { GatewayError } from "../../vocabulary/gateway-error.ts";
import { formatDollars } from "../../vocabulary/money.ts";
import type { Platform } from "../platform.ts";
import { viewCaps, viewLimits } from "./limits-and-caps.ts";

/** An account as the platform shows it, with what it has and what it has spent. Amounts are dollars, as text. */
export function viewAccount(account: Account, { ledger, nowMs }: Platform): Record<string, unknown> {
  const { creditNanos, heldNanos } = ledger.balanceOf(account.id);
  const { dayNanos, monthNanos, totalNanos } = ledger.spendingOf("account", account.id, nowMs());
  return {
    id: account.id,
    name: account.name,
    created_at: new Date(account.createdAtMs).toISOString(),
    credit: formatDollars(creditNanos),
    held: formatDollars(heldNanos),
    available: formatDollars(creditNanos - heldNanos),
    spent: { day: formatDollars(dayNanos), month: formatDollars(monthNanos), total: formatDollars(totalNanos) },
    limits: viewLimits(account.limits),
    caps: viewCaps(account.caps),
  };
}

export function findAccount(id: string, platform: Platform): Account {
  const account = platform.accounts.find(id);
  if (account) return account;
  throw new GatewayError("unknown_account", "There is no account with this id.");
}
