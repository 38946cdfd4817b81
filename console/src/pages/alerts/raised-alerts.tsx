import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import type { Alert } from "../../../../platform-client/types.ts";
import { call } from "../../platform/call.ts";
import { usePages, useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { BulkBar, useSelection } from "../../parts/data-table/bulk-bar.tsx";
import { ColumnPicker } from "../../parts/data-table/column-picker.tsx";
import { PagedDataTable, useRows } from "../../parts/data-table/paged-data-table.tsx";
import { useTableSettings } from "../../parts/data-table/use-table-settings.ts";
import { Select } from "../../parts/inputs/field.tsx";
import { inCount, moment, ago } from "../../parts/format/format.ts";
import { BulkDialog, type BulkAction } from "../../parts/list/bulk-dialog.tsx";
import { useFittedColumns } from "../../parts/list/fit-columns.ts";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { ALERT_KINDS, ALERT_DESCRIPTIONS } from "./format-alert.ts";
import { Mono } from "../../parts/code.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/overlays/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Notice, type Tone } from "../../parts/notice.tsx";
import { textLink } from "../../parts/text-link.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { Badge } from "../../parts/badge.tsx";
import type { DataColumn } from "../../parts/data-table/data-column.ts";
import { rowLink } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

const route = getRouteApi("/signed-in/alerts");

const STATES = [
  { value: "", label: "Open" },
  { value: "acknowledged", label: "Acknowledged" },
  { value: "resolved", label: "Resolved" },
  { value: "any", label: "All states" },
];

/** Alerts that report the end of another alert are not listed. */
const KINDS = ALERT_KINDS.filter((kind) => !kind.endsWith("restored"));

const KIND_CHOICES = [
  { value: "", label: "All alert types" },
  ...KINDS.map((kind) => ({ value: kind as string, label: ALERT_DESCRIPTIONS[kind].title })),
];

const ACKNOWLEDGE: BulkAction<Alert> = {
  label: "Acknowledge",
  done: "acknowledged",
  about: "Acknowledged alerts are not counted as open. Each is resolved when its condition ends.",
  weight: "primary",
  run: ({ id }) => call("acknowledgeAlert", { path: { id } }),
};

const inWords = (alerts: number): string => inCount(alerts, "alert");
const idOf = ({ id }: Alert): string => id;
const titleOf = ({ title }: Alert): string => title;

/** The alerts that were raised. The filters are in the URL. */
export function RaisedAlerts(): ReactNode {
  const { state = "open", type } = route.useSearch();
  const query = { ...(state !== "any" && { state }), ...(type !== undefined && { type }), limit: 100 };
  const pages = usePages("listAlerts", { query });
  const rows = useRows(pages);
  const settings = useTableSettings("alerts");
  const selection = useSelection();
  const { clear } = selection;
  // Clears the selection: an action must not change rows that a filter has hidden.
  useEffect(clear, [clear, state, type]);
  const [open, setOpen] = useState<string>();
  const [isAcknowledging, setAcknowledging] = useState(false);
  const columns = useFittedColumns(
    useMemo(() => alertColumns(setOpen), []),
    rows,
  );
  const opened = rows.find(({ id }) => id === open);
  return (
    <Section
      title="Raised alerts"
      about="Newest first. Resolved and acknowledged alerts are kept for 90 days."
      actions={
        <>
          <Filters />
          <ColumnPicker columns={columns} settings={settings} />
        </>
      }
      flush
    >
      <PagedDataTable
        label="Raised alerts"
        of={pages}
        rows={rows}
        columns={columns}
        settings={settings}
        keyOf={idOf}
        nameOf={titleOf}
        selection={selection}
        empty={<NoAlerts isOpen={state === "open" && type === undefined} />}
      />
      <BulkBar selection={selection}>
        <Button small onClick={() => setAcknowledging(true)}>
          Acknowledge
        </Button>
      </BulkBar>
      {isAcknowledging && (
        <BulkDialog
          action={ACKNOWLEDGE}
          rows={rows.filter(({ id }) => selection.keys.has(id))}
          nameOf={titleOf}
          inWords={inWords}
          onEnd={(unchanged) => selection.select(unchanged.map(idOf))}
          onClose={() => setAcknowledging(false)}
        />
      )}
      {opened && <AlertDialog of={opened} onClose={() => setOpen(undefined)} />}
    </Section>
  );
}

function Filters(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (changed: typeof search): void => void navigate({ search: { ...search, ...changed }, replace: true });
  return (
    <>
      <Select
        aria-label="Alert state"
        className="w-36"
        choices={STATES}
        value={search.state ?? ""}
        onChange={({ target }) => set({ state: target.value })}
      />
      <Select
        aria-label="Alert type"
        className="w-44"
        choices={KIND_CHOICES}
        value={search.type ?? ""}
        onChange={({ target }) => set({ type: target.value })}
      />
    </>
  );
}

function NoAlerts({ isOpen }: { readonly isOpen: boolean }): ReactNode {
  return isOpen ? <Empty title="No open alerts">Nothing needs attention.</Empty> : <Empty title="No alerts match the filters" />;
}

/** A raised alert, with links to its subject. */
function AlertDialog({ of, onClose }: { readonly of: Alert; readonly onClose: () => void }): ReactNode {
  const acknowledge = useApiMutation("acknowledgeAlert");
  const done = (): void => {
    toast("Alert acknowledged.");
    onClose();
  };
  const { acknowledged_by: by, acknowledged_at: acknowledgedAt, resolved_at: resolvedAt } = of;
  return (
    <Dialog open onClose={onClose} title={of.title}>
      <DialogBody>
        <p className="break-words">{of.summary}</p>
        <Facts
          facts={[
            ["State", <AlertState key="state" of={of} />],
            ["Alert type", <Mono key="type">{of.type}</Mono>],
            ["Raised", moment(of.raised_at)],
            resolvedAt === null ? undefined : ["Resolved", moment(resolvedAt)],
            by && acknowledgedAt !== null ? ["Acknowledged", `By ${by.name}, ${moment(acknowledgedAt)}`] : undefined,
            ...subjectsOf(of),
          ]}
        />
        {acknowledge.error && <Notice tone="bad">{acknowledge.error.message}</Notice>}
      </DialogBody>
      <DialogFooter>
        <Cancel onClick={onClose}>Close</Cancel>
        {of.state === "open" && (
          <Button
            weight="primary"
            busy={acknowledge.isPending}
            onClick={() => acknowledge.mutate({ path: { id: of.id } }, { onSuccess: done })}
          >
            Acknowledge
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}

const PAGES = [
  { field: "key", label: "Key", to: "/keys/$id" },
  { field: "account", label: "Account", to: "/accounts/$id" },
  { field: "upstream", label: "Upstream", to: "/upstreams/$id" },
  { field: "model", label: "Model", to: "/models/$id" },
] as const;

function subjectsOf(alert: Alert): (readonly [string, ReactNode])[] {
  return PAGES.flatMap(({ field, label, to }) => {
    const id = alert[field];
    if (id === null) return [];
    const link = (
      <Link key={field} to={to} params={{ id }} className={`${textLink} break-all`}>
        {id}
      </Link>
    );
    return [[label, link] as const];
  });
}

const TONES: Record<Alert["state"], Tone> = { open: "bad", acknowledged: "warn", resolved: "good" };

function AlertState({ of: { state } }: { readonly of: Alert }): ReactNode {
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
function alertColumns(onOpen: (id: string) => void): readonly DataColumn<Alert>[] {
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
