import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "../button.tsx";
import { TextField } from "./field.tsx";
import { emptyHeader, type HeaderDraft } from "./headers-draft.ts";

interface HeaderFieldsProps {
  readonly headers: readonly HeaderDraft[];
  readonly onChange: (headers: readonly HeaderDraft[]) => void;
  readonly hint: string;
  readonly error: string | undefined;
}

/** Request headers of an upstream or a route. Values are secrets, as credentials are. */
export function HeaderFields({ headers, onChange, hint, error }: HeaderFieldsProps): ReactNode {
  return (
    <fieldset className="col-span-full flex flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Request headers</legend>
      {headers.map((header, at) => (
        <OneHeader
          key={header.key}
          header={header}
          number={at + 1}
          onChange={(changed) => onChange(headers.with(at, changed))}
          onRemove={() => onChange(headers.toSpliced(at, 1))}
        />
      ))}
      {error && (
        <p role="alert" className="text-sm wrap-anywhere text-bad">
          {error}
        </p>
      )}
      {headers.length > 0 && <p className="text-sm text-ink-3">{hint}</p>}
      <div>
        <Button small onClick={() => onChange([...headers, emptyHeader()])}>
          <Plus size={14} aria-hidden />
          Add header
        </Button>
      </div>
    </fieldset>
  );
}

interface OneHeaderProps {
  readonly header: HeaderDraft;
  readonly number: number;
  readonly onChange: (header: HeaderDraft) => void;
  readonly onRemove: () => void;
}

function OneHeader({ header, number, onChange, onRemove }: OneHeaderProps): ReactNode {
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
      <IconButton label={`Remove header ${number}`} onClick={onRemove} className="mt-6">
        <Trash2 size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
