import { getRouteApi } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { ReconcileBillRequest } from "../../../../platform-client/types.ts";
import { useApiMutation, useApiQuery } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Field, FigureField, SelectField, TextField } from "../../parts/inputs/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { UpstreamPicker } from "../../parts/inputs/resource-pickers.tsx";
import { ReconciliationView } from "./reconciliation-view.tsx";

const route = getRouteApi("/signed-in/reconciliation");

/** The fields that show their own errors. */
const FIELDS = ["provider", "upstreams", "csv", "from", "to", "zone", "threshold_percent"];

interface Bill {
  readonly file: File | undefined;
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly threshold: string;
}

/** Compares an uploaded bill of a provider with the ledger. The bill is not stored. */
export function ReconciliationPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [bill, setBill] = useState<Bill>({ file: undefined, from: "", to: "", zone: "", threshold: "" });
  const reconcile = useApiMutation("reconcileBill");
  const { error } = reconcile;
  const pick = (changed: Partial<Record<keyof typeof search, string | null>>): void => {
    const given = Object.entries({ ...search, ...changed }).filter((pair) => pair[1]);
    void navigate({ search: Object.fromEntries(given) as typeof search, replace: true });
  };
  const submit = async (file: File): Promise<void> => reconcile.mutate({ body: toRequest(bill, await file.text(), search) });
  const other = refusalBeside(error, FIELDS);
  return (
    <Page title="Reconciliation" docs="reconciliation" about="Compare a provider's bill with the ledger, by day and model.">
      <Section title="Bill" about="A usage or cost export of the provider, as a CSV file. It is compared and not stored.">
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (bill.file && !reconcile.isPending) void submit(bill.file);
          }}
        >
          <div className="grid gap-4 sm:grid-cols-3">
            <ProviderField value={search.provider ?? ""} onChange={(provider) => pick({ provider })} error={error} />
            <UpstreamPicker
              isClearable
              placeholder="All upstreams"
              value={search.upstream ?? null}
              onPick={(upstream) => pick({ upstream })}
              error={refusalAt(error, "upstreams")}
            />
            <FileField onPick={(file) => setBill({ ...bill, file })} error={refusalAt(error, "csv")} />
          </div>
          <RangeFields bill={bill} onChange={setBill} error={error} />
          {other && <Notice tone="bad">{other}</Notice>}
          <div>
            <Button type="submit" weight="primary" busy={reconcile.isPending} disabled={!bill.file}>
              Reconcile
            </Button>
          </div>
        </form>
      </Section>
      {reconcile.data && <ReconciliationView report={reconcile.data} />}
    </Page>
  );
}

interface ProviderFieldProps {
  readonly value: string;
  readonly onChange: (provider: string) => void;
  readonly error: Error | null;
}

function ProviderField({ value, onChange, error }: ProviderFieldProps): ReactNode {
  const { data: about } = useApiQuery("showAbout", {});
  const providers = (about?.providers ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <SelectField
      label="Provider"
      choices={[{ value: "", label: "Other: choose an upstream" }, ...providers]}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      error={refusalAt(error, "provider")}
    />
  );
}

function FileField({
  onPick,
  error,
}: {
  readonly onPick: (file: File | undefined) => void;
  readonly error: string | undefined;
}): ReactNode {
  return (
    <Field label="File" hint="CSV, at most 8 MB." error={error}>
      {(wired) => (
        <input
          {...wired}
          type="file"
          accept=".csv,text/csv"
          required
          onChange={({ target }) => onPick(target.files?.[0])}
          className="min-h-8 w-full min-w-0 text-base text-ink-2 file:mr-3 file:h-8 file:rounded-md file:border file:border-line file:bg-surface file:px-3 file:font-medium file:text-ink hover:file:bg-hover"
        />
      )}
    </Field>
  );
}

interface RangeFieldsProps {
  readonly bill: Bill;
  readonly onChange: (bill: Bill) => void;
  readonly error: Error | null;
}

function RangeFields({ bill, onChange, error }: RangeFieldsProps): ReactNode {
  const set = (changed: Partial<Bill>): void => onChange({ ...bill, ...changed });
  return (
    <div className="grid grid-cols-2 gap-4 sm:grid-cols-4">
      <TextField
        label="First day"
        type="date"
        value={bill.from}
        onChange={({ target }) => set({ from: target.value })}
        hint="Defaults to the bill's dates."
        error={refusalAt(error, "from")}
      />
      <TextField
        label="Last day"
        type="date"
        value={bill.to}
        onChange={({ target }) => set({ to: target.value })}
        hint="Defaults to the bill's dates."
        error={refusalAt(error, "to")}
      />
      <TextField
        label="Time zone of the bill"
        value={bill.zone}
        onChange={({ target }) => set({ zone: target.value })}
        placeholder="UTC"
        error={refusalAt(error, "zone")}
      />
      <FigureField
        label="Tolerated difference, %"
        value={bill.threshold}
        onChange={({ target }) => set({ threshold: target.value })}
        placeholder="1"
        error={refusalAt(error, "threshold_percent")}
      />
    </div>
  );
}

function toRequest(
  { from, to, zone, threshold }: Bill,
  csv: string,
  { provider, upstream }: { readonly provider?: string | undefined; readonly upstream?: string | undefined },
): ReconcileBillRequest {
  return {
    csv,
    ...(provider && { provider: provider as NonNullable<ReconcileBillRequest["provider"]> }),
    ...(upstream && { upstreams: [upstream] }),
    ...(from && { from }),
    ...(to && { to }),
    ...(zone.trim() && { zone: zone.trim() }),
    // Other text is sent unchanged, and the server returns the error message.
    ...(threshold.trim() && { threshold_percent: Number.isNaN(Number(threshold)) ? (threshold as unknown as number) : Number(threshold) }),
  };
}
