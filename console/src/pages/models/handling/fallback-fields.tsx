import type { ReactNode } from "react";
import { EditableRows, RemoveRow, type EditedRow } from "../../../parts/inputs/editable-rows.tsx";
import { CheckField, TextField } from "../../../parts/inputs/field.tsx";
import { refusalAt } from "../../../parts/refusal.ts";
import { ALL_CONDITIONS, CONDITIONS, emptyFallback, type FallbackDraft } from "./fallbacks-draft.ts";

interface FallbackFieldsProps {
  readonly fallbacks: readonly FallbackDraft[];
  readonly onChange: (fallbacks: readonly FallbackDraft[]) => void;
  readonly error: Error | null;
}

/** The fallback models of a model in its form, in order. */
export function FallbackFields({ fallbacks, onChange, error }: FallbackFieldsProps): ReactNode {
  return (
    <EditableRows
      title="Fallback models"
      rows={fallbacks}
      onChange={onChange}
      addLabel="Add fallback"
      emptyRow={emptyFallback}
      hint={fallbacks.length === 0 && "None: when this model cannot answer, the caller receives its error."}
      error={refusalAt(error, "fallback_models")}
    >
      {(edited) => <OneFallback {...edited} />}
    </EditableRows>
  );
}

function OneFallback({ row: fallback, number, onChange, onRemove }: EditedRow<FallbackDraft>): ReactNode {
  const { model, on } = fallback;
  return (
    <div role="group" aria-label={`Fallback model ${number}`} className="grid grid-cols-2 gap-3 sm:grid-cols-[1fr_1fr_2rem]">
      <TextField label="Model" value={model} onChange={({ target }) => onChange({ ...fallback, model: target.value })} />
      <div className="flex flex-col gap-1 sm:mt-5">
        {ALL_CONDITIONS.map((condition) => (
          <CheckField
            key={condition}
            label={CONDITIONS[condition]}
            checked={on.includes(condition)}
            onChange={({ target }) =>
              onChange({ ...fallback, on: ALL_CONDITIONS.filter((each) => (each === condition ? target.checked : on.includes(each))) })
            }
          />
        ))}
      </div>
      <RemoveRow what={`fallback model ${number}`} onRemove={onRemove} className="sm:mt-6" />
    </div>
  );
}
