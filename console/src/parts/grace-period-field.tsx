import type { ReactNode } from "react";
import { SelectField } from "./field.tsx";
import { formFields } from "./form.ts";

const GRACE_PERIODS = [
  { value: "0", label: "Not at all: it stops at once" },
  { value: "3600", label: "For an hour" },
  { value: "86400", label: "For a day" },
  { value: "604800", label: "For 7 days" },
  { value: "2592000", label: "For 30 days" },
];

/** How long a secret works on that was replaced by another. */
export function GracePeriodField({ label, hint }: { readonly label: string; readonly hint: string }): ReactNode {
  return <SelectField label={label} name="overlap" choices={GRACE_PERIODS} defaultValue="86400" hint={hint} />;
}

export function readGracePeriod(form: HTMLFormElement): { readonly overlap_seconds: number } {
  return { overlap_seconds: Number(formFields(form, "overlap").overlap) };
}
