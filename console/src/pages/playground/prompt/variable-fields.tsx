import type { ReactNode } from "react";
import { TextArea } from "../../../parts/inputs/field.tsx";
import type { Variables } from "./variables.ts";

interface VariableFieldsProps {
  /** The variables of the messages. */
  readonly names: readonly string[];
  readonly values: Variables;
  readonly onChange: (values: Variables) => void;
}

/** A form for the values of the variables, shown while there are any. */
export function VariableFields({ names, values, onChange }: VariableFieldsProps): ReactNode {
  if (names.length === 0) return null;
  return (
    <section aria-label="Variables" className="card flex flex-col gap-3 px-4 py-3">
      <div className="grid gap-3 sm:grid-cols-2">
        {names.map((name) => (
          <TextArea
            key={name}
            label={`{{${name}}}`}
            grows
            rows={1}
            value={Object.hasOwn(values, name) ? values[name] : ""}
            onChange={({ target }) => onChange({ ...values, [name]: target.value })}
            placeholder="No value"
          />
        ))}
      </div>
      <p className="text-sm text-ink-3">A variable without a value is sent as typed.</p>
    </section>
  );
}
