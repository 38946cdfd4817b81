import type { ReactNode } from "react";
import { EditableRows, RemoveRow, type EditedRow } from "./editable-rows.tsx";
import { TextField } from "./field.tsx";
import { emptyHeader, type HeaderDraft } from "./headers-draft.ts";

interface HeaderFieldsProps {
  readonly headers: readonly HeaderDraft[];
  readonly onChange: (headers: readonly HeaderDraft[]) => void;
  readonly hint: string;
  readonly error: string | undefined;
}

/** Request headers of an upstream or a route. Their values are secrets, like credentials. */
export function HeaderFields({ headers, onChange, hint, error }: HeaderFieldsProps): ReactNode {
  return (
    <EditableRows
      title="Request headers"
      rows={headers}
      onChange={onChange}
      addLabel="Add header"
      emptyRow={emptyHeader}
      hint={headers.length > 0 && hint}
      error={error}
      className="col-span-full"
    >
      {(edited) => <OneHeader {...edited} />}
    </EditableRows>
  );
}

function OneHeader({ row: header, number, onChange, onRemove }: EditedRow<HeaderDraft>): ReactNode {
  return (
    <div role="group" aria-label={`Header ${number}`} className="grid grid-cols-[1fr_1fr_2rem] gap-3">
      <TextField
        label="Name"
        value={header.name}
        readOnly={header.isStored}
        placeholder="x-team"
        onChange={({ target }) => onChange({ ...header, name: target.value })}
      />
      <TextField
        label="Value"
        type="password"
        autoComplete="off"
        value={header.value}
        placeholder={header.isStored ? "Unchanged" : ""}
        onChange={({ target }) => onChange({ ...header, value: target.value })}
      />
      <RemoveRow what={`header ${number}`} onRemove={onRemove} className="mt-6" />
    </div>
  );
}
