import type { ReactNode } from "react";
import { SelectField } from "./field.tsx";
import { formFields } from "./form.ts";

const GRACE_PERIODS = [
  { value: "0", label: "None: stop working immediately" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "7 days" },
  { value: "2592000", label: "30 days" },
];

/** How long a replaced secret keeps working. */
export function GracePeriodField({ label, hint }: { readonly label: string; readonly hint: string }): ReactNode {
  return <SelectField label={label} name="overlap" choices={GRACE_PERIODS} defaultValue="86400" hint={hint} />;
}

export function readGracePeriod(form: HTMLFormElement): { readonly grace_period_seconds: number } {
  return { grace_period_seconds: Number(formFields(form, "overlap").overlap) };
}
