import type { ReactNode } from "react";
import type { Alert } from "../../../../platform-client/types.ts";
import { Badge } from "../../parts/badge.tsx";
import type { DataColumn } from "../../parts/data-table/data-column.ts";
import { ago } from "../../parts/format/format.ts";
import type { Tone } from "../../parts/notice.tsx";
import { rowLink } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

const TONES: Record<Alert["state"], Tone> = { open: "bad", acknowledged: "warn", resolved: "good" };

export function AlertState({ of: { state } }: { readonly of: Alert }): ReactNode {
  return <Badge tone={TONES[state]}>{state}</Badge>;
}

const REST: readonly DataColumn<Alert>[] = [
  { id: "state", title: "State", width: 130, text: ({ state }) => state, cell: (alert) => <AlertState of={alert} /> },
  {
    id: "summary",
    title: "Summary",
    width: 200,
    grows: true,
    from: "md",
    cell: ({ summary }) => <span title={summary}>{summary}</span>,
  },
  { id: "account", title: "Account", width: 160, from: "xl", text: ({ account }) => account ?? "", cell: ({ account }) => account },
  { id: "upstream", title: "Upstream", width: 160, isOptional: true, cell: ({ upstream }) => upstream },
  { id: "model", title: "Model", width: 160, isOptional: true, cell: ({ model }) => model },
  {
    id: "acknowledged",
    title: "Acknowledged by",
    width: 180,
    from: "lg",
    text: ({ acknowledged_by: by }) => by?.name ?? "",
    cell: ({ acknowledged_by: by }) => by?.name,
  },
  {
    id: "raised",
    title: "Raised",
    width: 140,
    from: "sm",
    text: ({ raised_at: at }) => ago(at),
    cell: ({ raised_at: at }) => <Time at={at} />,
  },
];

/** The columns of raised alerts. A click on a row opens it. */
export function alertColumns(onOpen: (id: string) => void): readonly DataColumn<Alert>[] {
  const title: DataColumn<Alert> = {
    id: "title",
    title: "Alert",
    width: 320,
    isFixed: true,
    text: ({ title: text }) => text,
    cell: ({ id, title: text, type }) => (
      <button type="button" className={`${rowLink} max-w-full truncate`} title={type} onClick={() => onOpen(id)}>
        {text}
      </button>
    ),
  };
  return [title, ...REST];
}
