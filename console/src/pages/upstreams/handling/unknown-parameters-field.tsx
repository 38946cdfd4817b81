import type { ReactNode } from "react";
import { SelectField } from "../../../parts/inputs/field.tsx";

/** Empty for the default. */
export type UnknownParameters = "" | "pass" | "drop" | "refuse";

interface UnknownParametersFieldProps {
  readonly value: UnknownParameters;
  readonly onChange: (value: UnknownParameters) => void;
  /** The value that applies while nothing is selected. */
  readonly fallback: string;
}

export function UnknownParametersField({ value, onChange, fallback }: UnknownParametersFieldProps): ReactNode {
  return (
    <SelectField
      label="Unknown parameters"
      choices={[
        { value: "", label: fallback },
        { value: "pass", label: "Pass through" },
        { value: "drop", label: "Drop" },
        { value: "refuse", label: "Reject the request" },
      ]}
      value={value}
      onChange={({ target }) => onChange(target.value as UnknownParameters)}
      hint="Parameters that are neither in the API format nor in a rule."
    />
  );
}
