import type { ReactNode } from "react";
import { count, money, percent } from "../parts/format.ts";
import { Notice } from "../parts/notice.tsx";
import { Table, type Column } from "../parts/table.tsx";
import type { ChangePreview, PreviewedKey } from "../platform/interface.ts";

const COLUMNS: readonly Column<PreviewedKey>[] = [
  { title: "Key", cell: ({ id, name }) => <span title={`${name} (${id})`}>{name}</span>, className: "max-w-48!" },
  { title: "Requests", cell: ({ requests }) => count(requests), figures: true },
  { title: "Refused", cell: ({ refused }) => count(refused), figures: true },
  { title: "Charged", cell: ({ charged }) => money(charged), figures: true, from: "sm" },
  { title: "Would be", cell: ({ would_be_charged: charged }) => money(charged), figures: true, from: "sm" },
];

/** What a change would have done to the last days. */
export function ShownPreview({ preview }: { readonly preview: ChangePreview }): ReactNode {
  const { requests, refused, keys } = preview;
  const others = keys.count - keys.first.length;
  return (
    <div className="flex flex-col gap-3" aria-live="polite">
      <Notice tone={refused > 0 ? "warn" : "good"} title={headline(preview)}>
        {requests > 0 && refused > 0 && reasonsOf(preview)}
      </Notice>
      {keys.first.length > 0 && refused > 0 && (
        <div className="overflow-hidden rounded-md border border-line">
          <Table label="Keys that would have noticed" columns={COLUMNS} rows={keys.first} keyOf={({ id }) => id} />
        </div>
      )}
      {others > 0 && refused > 0 && <p className="text-sm text-ink-3">And {count(others)} more keys.</p>}
      <p className="text-sm text-ink-3">
        Looked at the requests of the last 7 days. Callers might have done otherwise: tried again, asked for less, or moved to another
        model.
      </p>
    </div>
  );
}

function headline({ requests, refused }: ChangePreview): string {
  if (requests === 0) return "Nothing was asked in the last 7 days, so there is nothing that this would have refused.";
  if (refused === 0) return `None of the ${count(requests)} requests of the last 7 days would have been refused.`;
  return `${count(refused)} of ${count(requests)} requests of the last 7 days would have been refused (${percent(refused, requests)}).`;
}

const REASONS: Record<string, string> = {
  model_not_allowed: "for their model",
  budget_exceeded: "by a cap",
  rate_limit_exceeded: "by a limit",
};

function reasonsOf({ refused_by: by, money: { charged, would_be_charged: wouldBe } }: ChangePreview): string {
  const reasons = Object.entries(by).map(([code, times]) => `${count(times)} ${REASONS[code] ?? code}`);
  return `${reasons.join(", ")}. ${money(charged)} was charged; it would have been ${money(wouldBe)}.`;
}
