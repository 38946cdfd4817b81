import type { ReactNode } from "react";
import { Notice } from "../../parts/notice.tsx";
import type { Account } from "../../../../platform-client/types.ts";
import { isTemporary } from "../../breakdown/use-usage.ts";

export function OutOfCredit({ account }: { readonly account: Account }): ReactNode {
  if (account.available === null || Number(account.available) > 0) return null;
  return (
    <Notice tone="warn" title="Your account is out of credit">
      Billable requests are rejected with 402 until an operator grants more credit. Past usage stays visible here.
    </Notice>
  );
}

/** The usage totals of a large ledger that was moved are built once, in the background, which takes some minutes. */
export function UsageBuilding({ error }: { readonly error: Error | null }): ReactNode {
  if (!isTemporary(error)) return null;
  return <Notice title="Spend and tokens are not available yet">{error.message} This page refreshes automatically.</Notice>;
}
