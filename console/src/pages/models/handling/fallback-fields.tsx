import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "../../../parts/button.tsx";
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
  const refusal = refusalAt(error, "fallback_models");
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Fallback models</legend>
      {fallbacks.length === 0 && <p className="text-sm text-ink-3">None: when this model cannot answer, the caller receives its error.</p>}
      {fallbacks.map((fallback, at) => (
        <OneFallback
          key={fallback.key}
          fallback={fallback}
          number={at + 1}
          onChange={(changed) => onChange(fallbacks.with(at, changed))}
          onRemove={() => onChange(fallbacks.toSpliced(at, 1))}
        />
      ))}
      {refusal && (
        <p role="alert" className="text-sm wrap-anywhere text-bad">
          {refusal}
        </p>
      )}
      <div>
        <Button small onClick={() => onChange([...fallbacks, emptyFallback()])}>
          <Plus size={14} aria-hidden />
          Add fallback
        </Button>
      </div>
    </fieldset>
  );
}

interface OneFallbackProps {
  readonly fallback: FallbackDraft;
  readonly number: number;
  readonly onChange: (fallback: FallbackDraft) => void;
  readonly onRemove: () => void;
}

function OneFallback({ fallback, number, onChange, onRemove }: OneFallbackProps): ReactNode {
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
      <IconButton label={`Remove fallback model ${number}`} onClick={onRemove} className="sm:mt-6">
        <Trash2 size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
