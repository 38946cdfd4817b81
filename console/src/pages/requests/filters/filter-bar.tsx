import { SlidersHorizontal } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { Select, type Choice, TextField } from "../../../parts/inputs/field.tsx";
import { ModelPicker } from "../../../parts/inputs/resource-pickers.tsx";
import { formatOutcomes } from "./format-filters.ts";
import { MoreFilters } from "./more-filters.tsx";
import { SPANS, withChange, type FilterProps } from "./request-search.ts";
import { Dialog, DialogBody, DialogFooter } from "../../../parts/overlays/dialog.tsx";
import { formFields } from "../../../parts/inputs/form.ts";
import { fromLocalInput, toLocalInput } from "./local-time.ts";

const CUSTOM = "custom";

const TIMES: readonly Choice[] = [{ value: "", label: "All time" }, ...SPANS, { value: CUSTOM, label: "Custom range …" }];

const OUTCOMES: readonly Choice[] = [
  { value: "", label: "All outcomes" },
  { value: "complete", label: "Succeeded" },
  { value: "refused,failed", label: "Rejected or failed" },
  { value: "refused", label: "Rejected" },
  { value: "failed", label: "Failed" },
  { value: "client_closed", label: "Client disconnected" },
  { value: "replayed", label: "Idempotent replay" },
  { value: "dry_run", label: "Dry run" },
];

/** The common filters of the list, and a button for the other filters. */
export function FilterBar({ search, onSearch, children }: FilterProps & { readonly children: ReactNode }): ReactNode {
  const [isMore, setMore] = useState(false);
  const [isRange, setRange] = useState(false);
  const change = (what: Parameters<typeof withChange>[1]): void => onSearch(withChange(search, what));
  const hasRange = search.since === undefined && (search.from !== undefined || search.to !== undefined);
  const outcome = search.outcome ?? "";
  const isListed = OUTCOMES.some(({ value }) => value === outcome);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria-label="Time"
          className="w-40 max-sm:min-w-36 max-sm:flex-1"
          choices={TIMES}
          value={hasRange ? CUSTOM : (search.since ?? "")}
          onChange={({ target: { value } }) => {
            if (value === CUSTOM) setRange(true);
            else change({ since: value, from: null, to: null });
          }}
        />
        {hasRange && (
          <Button weight="quiet" onClick={() => setRange(true)}>
            Change range
          </Button>
        )}
        <Select
          aria-label="Outcome"
          className="w-40 max-sm:min-w-36 max-sm:flex-1"
          choices={isListed ? OUTCOMES : [...OUTCOMES, { value: outcome, label: formatOutcomes(outcome) }]}
          value={outcome}
          onChange={({ target }) => change({ outcome: target.value })}
        />
        <ModelPicker
          isLabelHidden
          isClearable
          className="w-52 max-sm:min-w-36 max-sm:flex-1"
          placeholder="All models"
          value={search.model ?? null}
          onPick={(model) => change({ model })}
        />
        <Button aria-expanded={isMore} aria-controls="more-filters" onClick={() => setMore(!isMore)}>
          <SlidersHorizontal size={14} aria-hidden />
          More filters
        </Button>
        {children}
      </div>
      <div id="more-filters" hidden={!isMore}>
        {isMore && <MoreFilters search={search} onSearch={onSearch} />}
      </div>
      {isRange && <RangeDialog search={search} onSearch={onSearch} onClose={() => setRange(false)} />}
    </div>
  );
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A custom time range. Either end may be empty. */
function RangeDialog({ search, onSearch, onClose }: FilterProps & { readonly onClose: () => void }): ReactNode {
  const [error, setError] = useState<string>();
  const apply = (form: HTMLFormElement): void => {
    const fields = formFields(form, "from", "to");
    const [from, to] = [fromLocalInput(fields.from), fromLocalInput(fields.to)];
    if (from !== undefined && to !== undefined && from >= to) return setError("The end must be after the start.");
    onSearch(withChange(search, { since: null, from: from ?? null, to: to ?? null, ...(to !== undefined && { live: null }) }));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title="Custom range" about={`By the end time of requests, in ${ZONE}.`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          apply(event.currentTarget);
        }}
      >
        <DialogBody>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField label="From" name="from" type="datetime-local" defaultValue={toLocalInput(search.from)} hint="If empty: no start." />
            <TextField
              label="To"
              name="to"
              type="datetime-local"
              defaultValue={toLocalInput(search.to)}
              hint="If empty: now."
              error={error}
            />
          </div>
        </DialogBody>
        <DialogFooter>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" weight="primary">
            Apply
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
