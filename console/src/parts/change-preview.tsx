import { Link } from "@tanstack/react-router";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ChangePreview, PreviewedKey } from "../platform/interface.ts";
import { count, inCount, money } from "./format.ts";
import { Notice } from "./notice.tsx";
import { Loading } from "./states.tsx";
import { Table, type Column } from "./table.tsx";
import { textLink } from "./text-link.ts";

/** What a change would have done to the last 7 days, or why the platform would refuse it. */
export function PreviewOf({ of, next }: { readonly of: UseQueryResult<ChangePreview>; readonly next?: ReactNode }): ReactNode {
  if (of.error) {
    return (
      <Notice tone="bad" title="It would be refused">
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
      <h3 className="font-medium">If it had been so for the last 7 days</h3>
      {requests === 0 ? (
        <p className="text-ink-2">No request that it concerns was let in, so nobody would have noticed.</p>
      ) : (
        <Sums preview={preview} />
      )}
      {keys.first.length > 0 && (
        <div className="rounded-md border border-line">
          <Table label="Keys that would have noticed" columns={columnsFor(preview)} rows={keys.first} keyOf={({ id }) => id} />
          {keys.count > keys.first.length && (
            <p className="border-t border-line px-4 py-2 text-sm text-ink-3">And {count(keys.count - keys.first.length)} more keys.</p>
          )}
        </div>
      )}
    </section>
  );
}

function Sums({ preview: { requests, refused, refused_by, money: sums, keys } }: { readonly preview: ChangePreview }): ReactNode {
  const codes = Object.entries(refused_by).map(([code, times]) => `${count(times)} ${code}`);
  return (
    <ul className="list-disc pl-5 text-ink-2">
      <li>
        {inCount(requests, "request")} by {inCount(keys.count, "key")}.
      </li>
      <li>
        {refused === 0
          ? "None would have been refused."
          : `${refused === requests ? "All of them" : count(refused)} would have been refused${codes.length > 1 ? `: ${codes.join(", ")}` : ""}.`}
      </li>
      <li>{formatCharge(sums)}</li>
    </ul>
  );
}

function formatCharge({ charged, would_be_charged: wouldBe, difference }: ChangePreview["money"]): string {
  const by = Number(difference);
  if (by === 0) return `${money(charged)} was charged, and would have been.`;
  const change = `${money(difference.replace("-", ""))} ${by < 0 ? "less" : "more"}`;
  return `${money(charged)} was charged; it would have been ${money(wouldBe)}, ${change}.`;
}

/** Columns that would be the same in every row are left out. */
function columnsFor({ requests: all, refused, money: sums }: ChangePreview): readonly Column<PreviewedKey>[] {
  return [
    {
      title: "Key",
      cell: ({ id, name }) => (
        <Link to="/keys/$id" params={{ id }} title={name} className={textLink}>
          {name}
        </Link>
      ),
    },
    { title: "Account", cell: ({ account }) => <span title={account}>{account}</span>, from: "sm" },
    { title: "Requests", cell: ({ requests }) => count(requests), figures: true },
    ...(refused > 0 ? [{ title: "Refused", cell: (key: PreviewedKey) => count(key.refused), figures: true }] : []),
    { title: "Charged", cell: ({ charged }) => money(charged), figures: true, from: "sm" },
    ...(Number(sums.difference) === 0 || refused === all
      ? []
      : [{ title: "Would be", cell: (key: PreviewedKey) => money(key.would_be_charged), figures: true }]),
  ];
}
