import type { ReactNode } from "react";
import { Notice } from "../../parts/notice.tsx";
import type { Account } from "../../platform/interface.ts";
import { isForNow } from "./use-overview.ts";

/** What has to be known before the figures are read. */
export function OutOfCredit({ account }: { readonly account: Account }): ReactNode {
  if (Number(account.available) > 0) return null;
  return (
    <Notice tone="warn" title="Your account is out of credit">
      Requests that cost anything are refused with 402 until an operator grants more. All that was used can still be seen here.
    </Notice>
  );
}

/** A ledger from before there were sums is added up once. That takes some minutes, and nobody has to do anything. */
export function AddingUp({ trouble }: { readonly trouble: Error | null }): ReactNode {
  if (!isForNow(trouble)) return null;
  return <Notice title="Spend and tokens are not known yet">{trouble.message} It goes on by itself, and this page follows.</Notice>;
}
