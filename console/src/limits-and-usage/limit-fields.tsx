import type { ReactNode } from "react";
import { formFields } from "../parts/inputs/form.ts";
import { refusalAt } from "../parts/refusal.ts";
import { PERIOD_CAPS, RATE_LIMITS, SPEND_CAPS } from "../../../src/money/limits.ts";
import { readCaps, readLimits, type Caps, type Limits } from "./access-policy.ts";
import { readBreakdowns } from "./breakdown-fields.tsx";
import { CapField, LimitField } from "./policy-field.tsx";

/** The policy fields that show their own errors. */
export const POLICY_FIELDS: readonly string[] = [
  "models",
  ...RATE_LIMITS.map(({ name }) => `limits.${name}`),
  ...SPEND_CAPS.map(({ name }) => `caps.${name}`),
  ...RATE_LIMITS.map(({ name }) => `limits.per_user.${name}`),
  ...PERIOD_CAPS.map(({ name }) => `caps.per_user.${name}`),
];

/** The rate limits of a key or an account. */
export function LimitFields({ limits, refusal }: { readonly limits?: Limits; readonly refusal: Error | null }): ReactNode {
  return (
    <fieldset>
      <legend className="font-medium">Rate limits</legend>
      <p className="mb-2 text-sm text-ink-3">Leave a field empty for no limit.</p>
      <div className="grid gap-3 sm:grid-cols-3">
        {RATE_LIMITS.map(({ name, label }) => (
          <LimitField key={name} label={label} name={name} value={limits?.[name]} error={refusalAt(refusal, `limits.${name}`)} />
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
        {SPEND_CAPS.map(({ name, label }) => (
          <CapField key={name} label={label} name={name} value={caps?.[name]} error={refusalAt(refusal, `caps.${name}`)} />
        ))}
      </div>
    </fieldset>
  );
}

/** Reads all groups of fields. `before`: the current settings. */
export function readLimitFields(
  form: HTMLFormElement,
  before?: { readonly limits: Limits; readonly caps: Caps },
): { readonly limits: Limits; readonly caps: Caps } {
  const { limits, caps } = readBreakdowns(form, before);
  return {
    limits: { ...readLimits(formFields(form, ...RATE_LIMITS.map(({ name }) => name))), ...limits },
    caps: { ...readCaps(SPEND_CAPS, formFields(form, ...SPEND_CAPS.map(({ name }) => name))), ...caps },
  };
}
