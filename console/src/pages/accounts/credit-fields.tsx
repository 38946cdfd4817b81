import type { ReactNode } from "react";
import { FigureField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";

interface CreditFieldProps {
  readonly current?: string | null;
  readonly error: string | undefined;
}

/** How far below zero the credit of the account may go. */
export function CreditLineField(props: CreditFieldProps): ReactNode {
  return (
    <CreditField
      label="Credit line (USD)"
      name="credit_line"
      pattern={`unlimited|${AMOUNT}`}
      title="Dollars, such as 500, or: unlimited"
      hint="For an account that is billed afterwards: how far below zero its credit may go. Type unlimited for no limit."
      {...props}
    />
  );
}

/** The threshold of the low-credit alert. */
export function LowCreditField(props: CreditFieldProps): ReactNode {
  return (
    <CreditField
      label="Low-credit threshold (USD)"
      name="low_credit"
      pattern={AMOUNT}
      title="Dollars, such as 12.50"
      hint="Sends an alert when the balance falls below this amount. If empty: when all credit is spent."
      {...props}
    />
  );
}

export function readCreditLine(form: HTMLFormElement): { readonly credit_line: string | null } {
  return { credit_line: readAmount(form, "credit_line") };
}

export function readLowCredit(form: HTMLFormElement): { readonly low_credit: string | null } {
  return { low_credit: readAmount(form, "low_credit") };
}

const AMOUNT = String.raw`\d{1,9}(\.\d{1,9})?`;

/** An optional amount of an account; null if the field is empty. */
function CreditField({
  current = null,
  ...field
}: CreditFieldProps & Readonly<Record<"label" | "name" | "pattern" | "title" | "hint", string>>): ReactNode {
  return <FigureField placeholder="None" defaultValue={current ?? ""} {...field} />;
}

function readAmount(form: HTMLFormElement, name: string): string | null {
  return formFields(form, name)[name]!.trim() || null;
}
