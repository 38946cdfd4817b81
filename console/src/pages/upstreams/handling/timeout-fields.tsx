import type { ReactNode } from "react";
import { FigureField } from "../../../parts/inputs/field.tsx";
import { refusalAt } from "../../../parts/refusal.ts";
import { TIMEOUTS, type TimeoutName, type TimeoutsDraft } from "./timeouts-draft.ts";

const LABELS: Readonly<Record<TimeoutName, string>> = {
  connect_ms: "Connect",
  first_byte_ms: "First byte",
  between_chunks_ms: "Between chunks",
  non_streamed_ms: "Not streamed",
  total_ms: "Total",
};

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
        {TIMEOUTS.map((name) => (
          <FigureField
            key={name}
            label={LABELS[name]}
            value={draft[name]}
            onChange={({ target }) => onChange({ ...draft, [name]: target.value })}
            placeholder={placeholder}
            error={refusalAt(error, `timeouts.${name}`)}
          />
        ))}
      </div>
    </fieldset>
  );
}
