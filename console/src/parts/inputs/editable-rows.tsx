import { Plus, Trash2 } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { Button, IconButton } from "../button.tsx";

/** A row, and the callbacks of its fields. */
export interface EditedRow<Row> {
  readonly row: Row;
  /** The number of the row, from 1, for labels. */
  readonly number: number;
  readonly onChange: (row: Row) => void;
  readonly onRemove: () => void;
}

interface EditableRowsProps<Row> {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly onChange: (rows: readonly Row[]) => void;
  /** The button that adds a row: "Add header". */
  readonly addLabel: string;
  readonly emptyRow: () => Row;
  /** A hint above the rows. */
  readonly hint?: string | false;
  readonly error?: string | undefined;
  readonly className?: string;
  readonly children: (edited: EditedRow<Row>) => ReactNode;
}

/** Rows of fields that can be added and removed. */
export function EditableRows<Row extends object>(props: EditableRowsProps<Row>): ReactNode {
  const { title, rows, onChange, addLabel, emptyRow, hint, error, className = "", children } = props;
  return (
    <fieldset className={`flex flex-col gap-3 ${className}`}>
      <legend className="mb-1 text-sm font-medium">{title}</legend>
      {hint && <p className="text-sm text-ink-3">{hint}</p>}
      {rows.map((row, at) => (
        // The order of rows without a key is stable.
        <Fragment key={"key" in row ? String(row.key) : at}>
          {children({
            row,
            number: at + 1,
            onChange: (changed) => onChange(rows.with(at, changed)),
            onRemove: () => onChange(rows.toSpliced(at, 1)),
          })}
        </Fragment>
      ))}
      {error && (
        <p role="alert" className="text-sm wrap-anywhere text-bad">
          {error}
        </p>
      )}
      <div>
        <Button small onClick={() => onChange([...rows, emptyRow()])}>
          <Plus size={14} aria-hidden />
          {addLabel}
        </Button>
      </div>
    </fieldset>
  );
}

/** `what` names the row: "header 2". */
export function RemoveRow({
  what,
  onRemove,
  className = "",
}: {
  readonly what: string;
  readonly onRemove: () => void;
  readonly className?: string;
}): ReactNode {
  return (
    <IconButton label={`Remove ${what}`} onClick={onRemove} className={className}>
      <Trash2 size={16} aria-hidden />
    </IconButton>
  );
}
