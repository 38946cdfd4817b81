import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePages } from "../../platform/use-api.ts";
import { Select } from "../../parts/field.tsx";
import { Paged } from "../../parts/paged.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { AlertEntry } from "./alert-entry.tsx";
import { ALERT_KINDS, ALERT_DESCRIPTIONS } from "./format-alert.ts";

const route = getRouteApi("/signed-in/alerts");

const STATES = [
  { value: "", label: "Open" },
  { value: "acknowledged", label: "Acknowledged" },
  { value: "resolved", label: "Resolved" },
  { value: "any", label: "Any state" },
];

/** Those that say that another alert is over are not listed. */
const KINDS = ALERT_KINDS.filter((kind) => !kind.endsWith("restored"));

const KIND_CHOICES = [
  { value: "", label: "All alert types" },
  ...KINDS.map((kind) => ({ value: kind as string, label: ALERT_DESCRIPTIONS[kind].title })),
];

/** The alerts that were raised. The filters are in the URL. */
export function RaisedAlerts(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (changed: typeof search): void => void navigate({ search: { ...search, ...changed }, replace: true });
  const filters = (
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
  return (
    <Section title="Raised alerts" about="Newest first. Resolved and acknowledged alerts are kept for 90 days." actions={filters} flush>
      <List state={search.state ?? "open"} type={search.type} />
    </Section>
  );
}

function List({ state, type }: { readonly state: string; readonly type: string | undefined }): ReactNode {
  const query = { ...(state !== "any" && { state }), ...(type !== undefined && { type }), limit: 20 };
  const pages = usePages("listAlerts", { query });
  return (
    <Paged of={pages} empty={<NoAlerts isOpen={state === "open" && type === undefined} />}>
      {(alerts) => (
        <ul aria-label="Raised alerts">
          {alerts.map((alert) => (
            <AlertEntry key={alert.id} of={alert} />
          ))}
        </ul>
      )}
    </Paged>
  );
}

function NoAlerts({ isOpen }: { readonly isOpen: boolean }): ReactNode {
  return isOpen ? <Empty title="No open alerts">Nothing needs attention.</Empty> : <Empty title="No alerts match the filters" />;
}
