import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Facts, Stat } from "../../parts/facts.tsx";
import { exactMoney, money } from "../../parts/format/format.ts";
import { Page, Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { textLink } from "../../parts/text-link.ts";
import type { Account } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { useMe } from "../../shell/me.ts";
import { breakdownFacts, limitFacts, ModelList } from "../../limits-and-usage/policy-facts.tsx";
import { SpendMeters } from "../../limits-and-usage/spend-meters.tsx";
import { AttributedUsage } from "../../limits-and-usage/attributed-usage.tsx";
import { UsageSection } from "../../breakdown/usage-section.tsx";
import { SavedViews } from "../../shell/saved-views.tsx";
import { EditCaps } from "../../limits-and-usage/edit-caps.tsx";
import { AuditLink } from "../../limits-and-usage/audit-link.tsx";
import { AccountActions } from "./account-actions.tsx";
import { AccountKeys } from "./account-keys.tsx";
import { AccountNotices } from "./account-notices.tsx";
import { AccountPeople } from "./account-people.tsx";
import { Entries } from "./entries.tsx";
import { BodyLogging } from "./body-logging.tsx";
import { LowCreditFact } from "./low-credit-fact.tsx";
import { CreditBadge } from "./credit-badge.tsx";

/** An account, for operators and for its members. */
export function AccountView({ id }: { readonly id: string }): ReactNode {
  const { isOperator } = useMe();
  const account = useApiQuery("showAccount", { path: { id } });
  return (
    <Page
      title={account.data?.name ?? "Account"}
      docs="money#accounts-and-credit"
      above={isOperator && <Link to="/accounts">Accounts</Link>}
      heading={
        account.data && (
          <span className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 break-words">{account.data.name}</span>
            <CreditBadge of={account.data} />
          </span>
        )
      }
      about={account.data && account.data.name !== id ? id : undefined}
      actions={
        account.data && (
          <>
            <SavedViews />
            {isOperator && <AccountActions of={account.data} />}
          </>
        )
      }
    >
      <Fetched of={account}>{(data) => <Shown of={data} />}</Fetched>
    </Page>
  );
}

function Shown({ of }: { readonly of: Account }): ReactNode {
  const { isOperator } = useMe();
  return (
    <>
      <AccountNotices of={of} />
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Balance
          label="Available balance"
          dollars={of.available}
          note={of.credit_line === null ? "Credit minus reserved" : "Credit and credit line minus reserved"}
        />
        <Balance label="Credit" dollars={of.credit} note="Granted minus charged" />
        <Balance label="Reserved" dollars={of.held} note="By in-flight requests" />
        <Balance label="Spent this month" dollars={of.spent.month} note="Calendar month (UTC)" />
      </div>
      <div className="grid gap-5 lg:grid-cols-2">
        <Section title="Access policy" about="Applies to all keys of this account together">
          <Facts
            facts={[
              ["Allowed models", <ModelList models={of.models} />],
              ...limitFacts(of.limits),
              ...breakdownFacts(of),
              ["Credit line", describeCreditLine(of.credit_line)],
              isOperator ? ["Low-credit alert", <LowCreditFact key="low" of={of} />] : undefined,
              ["Credit for key holders", of.show_credit ? "Shown" : "Hidden"],
              isOperator ? ["Price list", <PriceListFact key="prices" id={of.price_list} />] : undefined,
              isOperator ? ["Audit log", <AuditLink key="audit" kind="account" id={of.id} />] : undefined,
            ]}
          />
        </Section>
        <Section
          title="Spend"
          about="Calendar day and month (UTC)"
          actions={isOperator && of.managed_by === "operator" && <EditCaps operation="updateAccount" of={of} />}
        >
          <SpendMeters spent={of.spent} caps={of.caps} />
        </Section>
      </div>
      <UsageSection
        of={{ account: of.id }}
        dimensions={["model", "key", "upstream", ...(of.attribution === "off" ? [] : (["user", "tag"] as const))]}
        isOperator={isOperator}
        tag={of.metadata_tags[0]}
      />
      <AttributedUsage of={of} isOperator={isOperator} />
      <Entries account={of.id} />
      <AccountKeys account={of.id} />
      {isOperator && <AccountPeople account={of.id} />}
      <BodyLogging of={of} />
    </>
  );
}

function describeCreditLine(line: string | null): string {
  if (line === null) return "None";
  return line === "unlimited" ? "Unlimited" : exactMoney(line);
}

/** Null where nothing limits it. */
function Balance({ label, dollars, note }: { readonly label: string; readonly dollars: string | null; readonly note: string }): ReactNode {
  if (dollars === null) return <Stat label={label} value="Unlimited" note="By its credit line" />;
  return <Stat label={label} value={<span title={exactMoney(dollars)}>{money(dollars)}</span>} note={note} />;
}

function PriceListFact({ id }: { readonly id: string | null }): ReactNode {
  if (id === null) return "None: base prices";
  return (
    <Link to="/price-lists/$id" params={{ id }} className={textLink}>
      {id}
    </Link>
  );
}
