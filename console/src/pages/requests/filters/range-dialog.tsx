import { useState, type ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { Dialog, DialogBody, DialogFooter } from "../../../parts/overlays/dialog.tsx";
import { TextField } from "../../../parts/inputs/field.tsx";
import { formFields } from "../../../parts/inputs/form.ts";
import { fromLocalInput, toLocalInput } from "./local-time.ts";
import { withChange, type FilterProps } from "./request-search.ts";

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A custom time range. Either end may be empty. */
export function RangeDialog({ search, onSearch, onClose }: FilterProps & { readonly onClose: () => void }): ReactNode {
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
