import type { ReactNode } from "react";
import { FigureField } from "../parts/field.tsx";
import { formFields } from "../parts/form.ts";
import { refusalAt } from "../parts/refusal.ts";
import { CAPS, LIMITS, readCaps, readLimits, readUserPart, USER_CAPS, USER_LIMITS, type Caps, type Limits } from "./access-policy.ts";

/** The policy fields that show their own errors. */
export const POLICY_FIELDS: readonly string[] = [
  "models",
  ...LIMITS.map(({ name }) => `limits.${name}`),
  ...CAPS.map(({ name }) => `caps.${name}`),
  ...[...USER_LIMITS, ...USER_CAPS].map(({ path }) => path),
];

interface PolicyFieldProps<Value> {
  readonly label: string;
  readonly name: string;
  readonly value: Value | null | undefined;
  readonly error: string | undefined;
}

function LimitField({ value, ...field }: PolicyFieldProps<number>): ReactNode {
  const form = { pattern: "\\d{1,10}", title: "A whole number, such as 60", placeholder: "No limit" };
  return <FigureField {...field} {...form} inputMode="numeric" defaultValue={value ?? ""} />;
}

function CapField({ value, ...field }: PolicyFieldProps<string>): ReactNode {
  const form = { pattern: "\\d{1,9}(\\.\\d{1,9})?", title: "Dollars, such as 12.50", placeholder: "No cap" };
  return <FigureField {...field} {...form} defaultValue={value ?? ""} />;
}

/** The rate limits of a key or an account. */
export function LimitFields({ limits, refusal }: { readonly limits?: Limits; readonly refusal: Error | null }): ReactNode {
  return (
    <fieldset>
      <legend className="font-medium">Rate limits</legend>
      <p className="mb-2 text-sm text-ink-3">Leave a field empty for no limit.</p>
      <div className="grid gap-3 sm:grid-cols-3">
        {LIMITS.map(({ name, label }) => (
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
        {CAPS.map(({ name, label }) => (
          <CapField key={name} label={label} name={name} value={caps?.[name]} error={refusalAt(refusal, `caps.${name}`)} />
        ))}
      </div>
    </fieldset>
  );
}

interface UserFieldsProps {
  readonly limits?: Limits;
  readonly caps?: Caps;
  readonly refusal: Error | null;
}

/** The rate limits and spend caps of each end user of a key or an account. */
export function UserFields({ limits, caps, refusal }: UserFieldsProps): ReactNode {
  return (
    <fieldset>
      <legend className="font-medium">Each end user</legend>
      <p className="mb-2 text-sm text-ink-3">
        Limits and spend caps of each end user in requests. Requests without one are one end user. Leave a field empty for no limit.
      </p>
      <div className="grid gap-3 sm:grid-cols-3">
        {USER_LIMITS.map(({ name, path, field, label }) => (
          <LimitField
            key={name}
            label={`${label} of an end user`}
            name={name}
            value={limits?.per_user?.[field]}
            error={refusalAt(refusal, path)}
          />
        ))}
        {USER_CAPS.map(({ name, path, field, label }) => (
          <CapField
            key={name}
            label={`${label} of an end user`}
            name={name}
            value={caps?.per_user?.[field]}
            error={refusalAt(refusal, path)}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Reads all groups of fields. */
export function readLimitFields(form: HTMLFormElement): { readonly limits: Limits; readonly caps: Caps } {
  const typed = formFields(form, ...USER_LIMITS.map(({ name }) => name), ...USER_CAPS.map(({ name }) => name));
  const ofUser = readLimits({
    requests_per_minute: typed.user_requests_per_minute,
    tokens_per_minute: typed.user_tokens_per_minute,
    concurrent_requests: typed.user_concurrent_requests,
  });
  const capsOfUser = { day: typed.user_day.trim() || null, month: typed.user_month.trim() || null };
  return {
    limits: { ...readLimits(formFields(form, ...LIMITS.map(({ name }) => name))), per_user: readUserPart(ofUser) },
    caps: { ...readCaps(formFields(form, ...CAPS.map(({ name }) => name))), per_user: readUserPart(capsOfUser) },
  };
}
