import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import type { Alert } from "../../../../platform-client/types.ts";
import { call } from "../../platform/call.ts";
import { usePages } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { BulkBar, useSelection } from "../../parts/data-table/bulk-bar.tsx";
import { ColumnPicker } from "../../parts/data-table/column-picker.tsx";
import { PagedDataTable, useRows } from "../../parts/data-table/paged-data-table.tsx";
import { useTableSettings } from "../../parts/data-table/use-table-settings.ts";
import { Select } from "../../parts/inputs/field.tsx";
import { inCount } from "../../parts/format/format.ts";
import { BulkDialog, type BulkAction } from "../../parts/list/bulk-dialog.tsx";
import { useFittedColumns } from "../../parts/list/use-fitted-columns.ts";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { alertColumns } from "./alert-columns.tsx";
import { AlertDialog } from "./alert-dialog.tsx";
import { ALERT_KINDS, ALERT_DESCRIPTIONS } from "./format-alert.ts";

const route = getRouteApi("/signed-in/alerts");

const STATES = [
  { value: "", label: "Open" },
  { value: "acknowledged", label: "Acknowledged" },
  { value: "resolved", label: "Resolved" },
  { value: "any", label: "All states" },
];

/** Those that say that another alert is over are not listed. */
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
  // An action must not touch rows that a filter has hidden.
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
