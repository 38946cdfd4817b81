import type { ReactNode } from "react";
import { ManagedNotice } from "../../parts/managed-by.tsx";
import { moment } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import type { Account } from "../../../../platform-client/types.ts";
import { useMe } from "../../shell/me.ts";
import { creditStatusOf, type CreditStatus } from "./credit-status.ts";

const TITLES: Record<Exclude<CreditStatus, "enough">, string> = { out: "Out of credit", low: "Low credit" };

/** Warnings about credit, and where a declared account is changed. */
export function AccountNotices({ of }: { readonly of: Account }): ReactNode {
  const { isOperator } = useMe();
  const status = creditStatusOf(of);
  return (
    <>
      {of.archived_at !== null && (
        <Notice tone="warn">
          Archived on {moment(of.archived_at)}. Requests with its keys are rejected. {isOperator && "Restore it to use it again."}
        </Notice>
      )}
      {status !== "enough" && (
        <Notice tone={status === "out" ? "bad" : "warn"} title={TITLES[status]}>
          {status === "out"
            ? "Paid requests with this account's keys are rejected with 402 until credit is granted. Usage history stays available."
            : "When it is spent, paid requests with this account's keys are rejected with 402."}{" "}
          {isOperator ? "Grant credit to continue." : "Ask an operator for more credit."}
        </Notice>
      )}
      {isOperator && <ManagedNotice by={of.managed_by} kind="account" />}
    </>
  );
}
