import type { ReactNode } from "react";
import { ManagedNotice } from "../../parts/managed-by.tsx";
import { Notice } from "../../parts/notice.tsx";
import type { Account } from "../../platform/interface.ts";
import { useMe } from "../../shell/me.ts";
import { creditStatusOf, type CreditStatus } from "./credit-status.ts";

const TITLES: Record<Exclude<CreditStatus, "enough">, string> = { out: "There is no credit left.", low: "There is little credit left." };

/** What whoever looks has to know first: that credit ends, and that what a file declares is changed there. */
export function AccountNotices({ of }: { readonly of: Account }): ReactNode {
  const { isOperator } = useMe();
  const status = creditStatusOf(of);
  return (
    <>
      {status !== "enough" && (
        <Notice tone={status === "out" ? "bad" : "warn"} title={TITLES[status]}>
          {status === "out"
            ? "Requests of its keys that cost something are refused with 402 until there is more. All that was used stays visible."
            : "When it is spent, requests of its keys that cost something are refused."}{" "}
          {isOperator ? "Grant credit to go on." : "Ask an operator to grant more."}
        </Notice>
      )}
      {isOperator && <ManagedNotice by={of.managed_by} kind="account" />}
    </>
  );
}
