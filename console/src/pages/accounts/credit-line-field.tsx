import type { ReactNode } from "react";
import { FigureField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";

/** How far below zero the credit of the account may go. */
export function CreditLineField({
  current = null,
  error,
}: {
  readonly current?: string | null;
  readonly error: string | undefined;
}): ReactNode {
  return (
    <FigureField
      label="Credit line (USD)"
      name="credit_line"
      pattern="unlimited|\d{1,9}(\.\d{1,9})?"
      title="Dollars, such as 500, or: unlimited"
      placeholder="None"
      defaultValue={current ?? ""}
      hint="For an account that is billed afterwards: how far below zero its credit may go. Type unlimited for no limit."
      error={error}
    />
  );
}

export function readCreditLine(form: HTMLFormElement): { readonly credit_line: string | null } {
  return { credit_line: formFields(form, "credit_line").credit_line.trim() || null };
}
