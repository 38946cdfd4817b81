import type { ReactNode } from "react";
import { CheckField } from "../../parts/inputs/field.tsx";

/** Whether the holders of the account's keys see its credit. */
export function ShowCreditField({ current = true }: { readonly current?: boolean }): ReactNode {
  return (
    <CheckField
      name="show_credit"
      label="Show credit to key holders"
      hint="Response headers, and the page for holders of keys, state the remaining credit and spend caps of the account. They show what its other keys spend."
      defaultChecked={current}
    />
  );
}

export function readShowCredit(form: HTMLFormElement): { readonly show_credit: boolean } {
  return { show_credit: new FormData(form).has("show_credit") };
}
