import type { ReactNode } from "react";
import { TIMEOUTS } from "../../../../../src/models/timeouts.ts";
import { FigureField } from "../../../parts/inputs/field.tsx";
import { refusalAt } from "../../../parts/refusal.ts";
import type { TimeoutsDraft } from "./timeouts-draft.ts";

interface TimeoutFieldsProps {
  readonly draft: TimeoutsDraft;
  readonly onChange: (draft: TimeoutsDraft) => void;
  /** The value that applies if a field is empty. */
  readonly placeholder: string;
  readonly error: Error | null;
}

export function TimeoutFields({ draft, onChange, placeholder, error }: TimeoutFieldsProps): ReactNode {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Timeouts, milliseconds</legend>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        {TIMEOUTS.map(({ field, label }) => (
          <FigureField
            key={field}
            label={label}
            value={draft[field]}
            onChange={({ target }) => onChange({ ...draft, [field]: target.value })}
            placeholder={placeholder}
            error={refusalAt(error, `timeouts.${field}`)}
          />
        ))}
      </div>
    </fieldset>
  );
}
