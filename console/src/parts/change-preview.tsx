import { Link } from "@tanstack/react-router";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ChangePreview, PreviewedKey } from "../../../platform-client/types.ts";
import { count, day, inCount, money } from "./format/format.ts";
import { Notice } from "./notice.tsx";
import { Loading } from "./states.tsx";
import { Table, type Column } from "./table.tsx";
import { textLink } from "./text-link.ts";

/** The impact of a change on the last 7 days, or the error with which the platform would reject it. */
export function PreviewOf({ of, next }: { readonly of: UseQueryResult<ChangePreview>; readonly next?: ReactNode }): ReactNode {
  if (of.error) {
    return (
      <Notice tone="bad" title="This change would be rejected">
        {of.error.message}
        {next && <div className="mt-2">{next}</div>}
      </Notice>
    );
  }
  if (!of.data) return of.isFetching ? <Loading lines={3} /> : null;
  return <Preview preview={of.data} />;
}

function Preview({ preview }: { readonly preview: ChangePreview }): ReactNode {
  const { requests, keys } = preview;
  return (
    <section aria-label="Change preview" className="flex flex-col gap-2">
      <h3 className="font-medium">Impact over the last 7 days</h3>
      {requests === 0 ? <p className="text-ink-2">No requests in this period are affected.</p> : <Sums preview={preview} />}
      {keys.first.length > 0 && (
        <div className="rounded-md border border-line">
          <Table label="Affected keys" columns={columnsFor(preview)} rows={keys.first} keyOf={({ id }) => id} />
          {keys.count > keys.first.length && (
            <p className="border-t border-line px-4 py-2 text-sm text-ink-3">And {count(keys.count - keys.first.length)} more keys.</p>
          )}
        </div>
      )}
    </section>
  );
}

function Sums({ preview }: { readonly preview: ChangePreview }): ReactNode {
  const {
    requests,
    refused,
    refused_by,
    refused_end_users: users,
    refused_tag_values: values,
    money: sums,
    keys,
    prices_from: from,
  } = preview;
  const codes = Object.entries(refused_by).map(([code, times]) => `${count(times)} ${code}`);
  return (
    <ul className="list-disc pl-5 text-ink-2">
      <li>
        {inCount(requests, "request")} from {inCount(keys.count, "key")}.
      </li>
      <li>
        {refused === 0
          ? "None would have been rejected."
          : `${refused === requests ? "All of them" : count(refused)} would have been rejected${codes.length > 1 ? `: ${codes.join(", ")}` : ""}.`}
      </li>
      {users > 0 && <li>{inCount(users, "end user")} would have had requests rejected.</li>}
      {values > 0 && <li>{inCount(values, "tag value")} would have had requests rejected.</li>}
      <li>{formatCharge(sums)}</li>
      {from !== null && <li>With the prices from {day(from)}.</li>}
    </ul>
  );
}

function formatCharge({ charged, would_be_charged: wouldBe, difference }: ChangePreview["money"]): string {
  const by = Number(difference);
  if (by === 0) return `Charged: ${money(charged)}, no change.`;
  const change = `${money(difference.replace("-", ""))} ${by < 0 ? "less" : "more"}`;
  return `Charged: ${money(charged)}. With this change: ${money(wouldBe)} (${change}).`;
}

/** Omits columns that would have the same value in every row. */
function columnsFor({ requests: all, refused, money: sums }: ChangePreview): readonly Column<PreviewedKey>[] {
  return [
    {
      title: "Key",
      className: "max-w-32! sm:max-w-52!",
      cell: ({ id, name }) => (
        <Link to="/keys/$id" params={{ id }} title={name} className={textLink}>
          {name}
        </Link>
      ),
    },
    { title: "Account", cell: ({ account }) => <span title={account}>{account}</span>, from: "sm" },
    { title: "Requests", cell: ({ requests }) => count(requests), figures: true },
    ...(refused > 0 ? [{ title: "Rejected", cell: (key: PreviewedKey) => count(key.refused), figures: true }] : []),
    { title: "Charged", cell: ({ charged }) => money(charged), figures: true, from: "sm" },
    ...(Number(sums.difference) === 0 || refused === all
      ? []
      : [{ title: "With change", cell: (key: PreviewedKey) => money(key.would_be_charged), figures: true }]),
  ];
}
