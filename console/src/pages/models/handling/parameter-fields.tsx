import type { ReactNode } from "react";
import { EditableRows, RemoveRow, type EditedRow } from "../../../parts/inputs/editable-rows.tsx";
import { SelectField, TextField } from "../../../parts/inputs/field.tsx";
import { refusalAt } from "../../../parts/refusal.ts";
import { emptyParameter, type ParameterDraft, type ParameterHandling } from "./handling-draft.ts";

const HANDLINGS: readonly { readonly value: ParameterHandling; readonly label: string }[] = [
  { value: "pass", label: "Pass through" },
  { value: "drop", label: "Drop" },
  { value: "refuse", label: "Reject the request" },
  { value: "rename", label: "Rename" },
];

interface ParameterFieldsProps {
  readonly rules: readonly ParameterDraft[];
  readonly onChange: (rules: readonly ParameterDraft[]) => void;
  readonly error: Error | null;
}

/** The parameter rules of a model in its form. */
export function ParameterFields({ rules, onChange, error }: ParameterFieldsProps): ReactNode {
  return (
    <EditableRows
      title="Parameter rules"
      rows={rules}
      onChange={onChange}
      addLabel="Add rule"
      emptyRow={emptyParameter}
      hint={rules.length === 0 && "None: each upstream gets the parameters that it supports."}
      error={refusalAt(error, "parameters")}
    >
      {(edited) => <OneRule {...edited} />}
    </EditableRows>
  );
}

function OneRule({ row: rule, number, onChange, onRemove }: EditedRow<ParameterDraft>): ReactNode {
  return (
    <div role="group" aria-label={`Parameter rule ${number}`} className="grid grid-cols-2 gap-3 sm:grid-cols-[1fr_1fr_1fr_2rem]">
      <TextField label="Parameter" value={rule.name} onChange={({ target }) => onChange({ ...rule, name: target.value })} />
      <SelectField
        label="Handling"
        choices={HANDLINGS}
        value={rule.handling}
        onChange={({ target }) => onChange({ ...rule, handling: target.value as ParameterHandling })}
      />
      {rule.handling === "rename" && (
        <TextField label="New name" value={rule.rename} onChange={({ target }) => onChange({ ...rule, rename: target.value })} />
      )}
      <RemoveRow what={`parameter rule ${number}`} onRemove={onRemove} className="sm:col-start-4 sm:mt-6" />
    </div>
  );
}
