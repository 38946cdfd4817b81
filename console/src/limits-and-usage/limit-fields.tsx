import type { ReactNode } from "react";
import { FigureField } from "../parts/field.tsx";
import { formFields } from "../parts/form.ts";
import { refusalAt } from "../parts/refusal.ts";
import { CAPS, LIMITS, readCaps, readLimits, type Caps, type Limits } from "./access-policy.ts";

/** The policy fields that show their own errors. */
export const POLICY_FIELDS: readonly string[] = [
  "models",
  ...LIMITS.map(({ name }) => `limits.${name}`),
  ...CAPS.map(({ name }) => `caps.${name}`),
];

/** The rate limits of a key or an account. */
export function LimitFields({ limits, refusal }: { readonly limits?: Limits; readonly refusal: Error | null }): ReactNode {
  return (
    <fieldset>
      <legend className="font-medium">Rate limits</legend>
      <p className="mb-2 text-sm text-ink-3">Leave a field empty for no limit.</p>
      <div className="grid gap-3 sm:grid-cols-3">
        {LIMITS.map(({ name, label }) => (
          <FigureField
            key={name}
            label={label}
            name={name}
            inputMode="numeric"
            pattern="\d{1,10}"
            title="A whole number, such as 60"
            placeholder="No limit"
            defaultValue={limits?.[name] ?? ""}
            error={refusalAt(refusal, `limits.${name}`)}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** The spend caps of a key or an account. */
export function CapFields({ caps, refusal }: { readonly caps?: Caps; readonly refusal: Error | null }): ReactNode {
  return (
    <fieldset>
      <legend className="font-medium">Spend caps (USD)</legend>
      <p className="mb-2 text-sm text-ink-3">Calendar day and month (UTC). Leave a field empty for no cap.</p>
      <div className="grid gap-3 sm:grid-cols-3">
        {CAPS.map(({ name, label }) => (
          <FigureField
            key={name}
            label={label}
            name={name}
            pattern="\d{1,9}(\.\d{1,9})?"
            title="Dollars, such as 12.50"
            placeholder="No cap"
            defaultValue={caps?.[name] ?? ""}
            error={refusalAt(refusal, `caps.${name}`)}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Reads both groups of fields. */
export function readLimitFields(form: HTMLFormElement): { readonly limits: Limits; readonly caps: Caps } {
  return {
    limits: readLimits(formFields(form, ...LIMITS.map(({ name }) => name))),
    caps: readCaps(formFields(form, ...CAPS.map(({ name }) => name))),
  };
}
