import { Link, getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Facts, Stat } from "../../parts/facts.tsx";
import { exactMoney, money, moment } from "../../parts/format/format.ts";
import { Page, Section } from "../../parts/page.tsx";
import { Fetched, Empty } from "../../parts/states.tsx";
import { textLink } from "../../parts/text-link.ts";
import type { Account, Person } from "../../../../platform-client/types.ts";
import { useApiQuery, useApiMutation } from "../../platform/use-api.ts";
import { useMe } from "../../shell/me.ts";
import { breakdownFacts, limitFacts, ModelList } from "../../limits-and-usage/policy-facts.tsx";
import { SpendMeters } from "../../limits-and-usage/spend-meters.tsx";
import { AttributedUsage } from "../../limits-and-usage/attributed-usage.tsx";
import { UsageSection } from "../../breakdown/usage-section.tsx";
import { SavedViews } from "../../shell/saved-views.tsx";
import { EditCaps } from "../../limits-and-usage/edit-caps.tsx";
import { AuditLink } from "../../limits-and-usage/audit-link.tsx";
import { AccountActions } from "./account-actions.tsx";
import { Entries } from "./entries.tsx";
import { CreditBadge } from "./credit-badge.tsx";
import { ManagedNotice } from "../../parts/managed-by.tsx";
import { Notice } from "../../parts/notice.tsx";
import { creditStatusOf, type CreditStatus } from "./credit-status.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { Table, rowLink, type Column } from "../../parts/table.tsx";
import { CreateKey } from "../keys/create-key.tsx";
import { KEY_COLUMNS_OF_ACCOUNT } from "../keys/key-columns.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { LowCreditField, readLowCredit } from "./credit-fields.tsx";
import { PersonBadge } from "../people/person-badge.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";

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
        dimensions={["model", "key", "upstream", "endpoint", ...(of.attribution === "off" ? [] : (["user", "tag"] as const))]}
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

/** Null if nothing limits the balance. */
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

const TITLES: Record<Exclude<CreditStatus, "enough">, string> = { out: "Out of credit", low: "Low credit" };

/** Warnings about credit, and a notice that tells where a declared account is edited. */
function AccountNotices({ of }: { readonly of: Account }): ReactNode {
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

/** The newest keys of an account, with a link to all of them. */
function AccountKeys({ account }: { readonly account: string }): ReactNode {
  const [isCreating, setCreating] = useState(false);
  const keys = useApiQuery("listKeys", { query: { account, limit: 10 } });
  return (
    <Section
      title="Keys"
      flush
      actions={
        <>
          <Link to="/keys" search={{ account }} className={buttonClass("quiet", true)}>
            All keys
          </Link>
          <Button small onClick={() => setCreating(true)}>
            Create key
          </Button>
        </>
      }
    >
      <Fetched of={keys} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No keys yet">Create a key to call models on this account's credit.</Empty>
          ) : (
            <Table label="Keys" columns={KEY_COLUMNS_OF_ACCOUNT} rows={data} keyOf={({ id }) => id} />
          )
        }
      </Fetched>
      {isCreating && <CreateKey account={account} onClose={() => setCreating(false)} />}
    </Section>
  );
}

/** The threshold of the low-credit alert, which is edited in place. */
function LowCreditFact({ of }: { readonly of: Account }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { low_credit: low } = of;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {low === null ? "When all credit is spent" : `Below ${exactMoney(low)}`}
      {of.managed_by === "operator" && (
        <Button small weight="quiet" className="-my-1" aria-label="Edit low-credit alert" onClick={() => setOpen(true)}>
          Edit
        </Button>
      )}
      {isOpen && <EditLowCredit of={of} onClose={() => setOpen(false)} />}
    </span>
  );
}

function EditLowCredit({ of, onClose }: { readonly of: Account; readonly onClose: () => void }): ReactNode {
  const [original] = useState(of);
  const update = useApiMutation("updateAccount");
  const done = (): void => {
    toast("Saved.");
    onClose();
  };
  return (
    <FormDialog
      title={`Low-credit alert of “${original.name}”`}
      action="Save"
      change={update}
      fields={["low_credit"]}
      onSubmit={(form) => update.mutate({ path: { id: original.id }, body: readLowCredit(form) }, { onSuccess: done })}
      onClose={onClose}
    >
      <LowCreditField current={original.low_credit} error={refusalAt(update.error, "low_credit")} />
    </FormDialog>
  );
}

const COLUMNS: readonly Column<Person>[] = [
  {
    title: "Name",
    cell: ({ id, name }) => (
      <Link to="/people/$id" params={{ id }} className={rowLink} title={name}>
        {name}
      </Link>
    ),
  },
  { title: "Email", cell: ({ email }) => <span title={email}>{email}</span> },
  { title: "State", cell: (person) => <PersonBadge person={person} />, from: "sm" },
];

/** The members of an account, for operators. */
function AccountPeople({ account }: { readonly account: string }): ReactNode {
  const people = useApiQuery("listPeople", { query: { account, limit: 10 } });
  return (
    <Section
      title="Members"
      flush
      actions={
        <Link to="/people" search={{ account }} className={buttonClass("quiet", true)}>
          All members
        </Link>
      }
    >
      <Fetched of={people} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No members yet">Invite people on the People page. Members see only this account.</Empty>
          ) : (
            <Table label="Members" columns={COLUMNS} rows={data} keyOf={({ id }) => id} />
          )
        }
      </Fetched>
    </Section>
  );
}

/** Whether prompts and responses are logged. Members see this too: it concerns their data. */
function BodyLogging({ of }: { readonly of: Account }): ReactNode {
  const { isOperator } = useMe();
  const [isConfirming, setConfirming] = useState(false);
  const isOn = of.log_bodies;
  const canChange = isOperator && of.managed_by === "operator";
  return (
    <Section
      title="Prompt and response logging"
      actions={canChange && <Button onClick={() => setConfirming(true)}>{isOn ? "Turn off" : "Turn on"}</Button>}
    >
      <div className="flex flex-wrap items-baseline gap-2">
        <Badge tone={isOn ? "warn" : "plain"}>{isOn ? "on" : "off"}</Badge>
        <p className="min-w-0 flex-1 basis-64 text-ink-2">
          {isOn
            ? "The bodies of requests and responses are stored with the request log, up to 64 KiB each. Operators can read them; each read is recorded in the audit log."
            : "Only metadata is stored for each request: time, model, tokens and cost. Prompts and responses are not stored."}
        </p>
      </div>
      {isConfirming && <ConfirmChange of={of} onClose={() => setConfirming(false)} />}
    </Section>
  );
}

function ConfirmChange({ of, onClose }: { readonly of: Account; readonly onClose: () => void }): ReactNode {
  const update = useApiMutation("updateAccount");
  const isOn = of.log_bodies;
  const done = (): void => {
    toast(isOn ? `Prompt and response logging is off for ${of.id}.` : `Prompt and response logging is on for ${of.id}.`);
    onClose();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={isOn ? `Turn off prompt and response logging for “${of.name}”?` : `Turn on prompt and response logging for “${of.name}”?`}
      action={isOn ? "Turn off" : "Turn on"}
      change={update}
      onConfirm={() => update.mutate({ path: { id: of.id }, body: { log_bodies: !isOn } }, { onSuccess: done })}
    >
      {isOn
        ? "Applies from the next request. Bodies that are already stored are deleted when the request log's retention ends."
        : "From the next request, the bodies of requests and responses are stored as long as the request log. They may contain personal data: inform the members of this account."}
    </Confirm>
  );
}

const route = getRouteApi("/signed-in/accounts/$id");

export function AccountPage(): ReactNode {
  const { id } = route.useParams();
  return <AccountView id={id} />;
}
