import type { ReactNode } from "react";
import { FigureField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";

/** The threshold of the low-credit alert. */
export function LowCreditField({
  current = null,
  error,
}: {
  readonly current?: string | null;
  readonly error: string | undefined;
}): ReactNode {
  return (
    <FigureField
      label="Low-credit threshold (USD)"
      name="low_credit"
      pattern="\d{1,9}(\.\d{1,9})?"
      title="Dollars, such as 12.50"
      placeholder="None"
      defaultValue={current ?? ""}
      hint="Sends an alert when the balance falls below this amount. If empty: when all credit is spent."
      error={error}
    />
  );
}

export function readLowCredit(form: HTMLFormElement): { readonly low_credit: string | null } {
  return { low_credit: formFields(form, "low_credit").low_credit.trim() || null };
}
