import { useState, type ReactNode } from "react";
import { SelectField, TextField } from "../parts/inputs/field.tsx";
import { formFields } from "../parts/inputs/form.ts";
import { day } from "../parts/format/format.ts";

const CHOICES: readonly { readonly value: Expiry; readonly label: string }[] = [
  { value: "none", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "date", label: "On a date" },
];

interface ExpiryFieldProps {
  /** The current expiry of a key, which can be kept. */
  readonly current?: string | null;
  /** The initial choice, if there is no current expiry to keep. */
  readonly initial?: Expiry;
  readonly error: string | undefined;
}

/** The expiry of a key. */
export function ExpiryField({ current = null, initial = "none", error }: ExpiryFieldProps): ReactNode {
  const [expiry, setExpiry] = useState<string>(current === null ? initial : "same");
  const unchanged = current === null ? [] : [{ value: "same", label: `Unchanged: ${day(current)}` }];
  const tomorrow = dateField(Date.now() + 86_400_000);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        label="Expires"
        name="expiry"
        choices={[...unchanged, ...CHOICES]}
        value={expiry}
        onChange={({ target }) => setExpiry(target.value)}
        error={expiry === "date" ? undefined : error}
      />
      {expiry === "date" && (
        <TextField
          label="Last day"
          name="last-day"
          type="date"
          min={tomorrow}
          defaultValue={tomorrow}
          required
          hint="The key works until the end of this day."
          error={error}
        />
      )}
    </div>
  );
}

/** The API field; empty if the expiry is unchanged. */
export function readExpiry(form: HTMLFormElement): { readonly expires_at?: string | null } {
  const { expiry, "last-day": lastDay } = formFields(form, "expiry", "last-day");
  const at = expiresAt(expiry as Expiry, lastDay);
  return at === undefined ? {} : { expires_at: at };
}

const DAY_MS = 86_400_000;

/** Never, a number of days from now, a date, or unchanged. */
export type Expiry = "none" | "7" | "30" | "90" | "date" | "same";

/** The `expires_at` of the API; undefined means unchanged. A date includes the whole day, in the browser's time zone. */
export function expiresAt(expiry: Expiry, date: string, nowMs = Date.now()): string | null | undefined {
  if (expiry === "same") return undefined;
  if (expiry === "none") return null;
  if (expiry !== "date") return new Date(nowMs + Number(expiry) * DAY_MS).toISOString();
  const [year, month, dayOfMonth] = date.split("-").map(Number);
  return new Date(year!, month! - 1, dayOfMonth! + 1).toISOString();
}

/** A day in the format of date inputs. */
export function dateField(ms: number): string {
  const at = new Date(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function two(part: number): string {
  return String(part).padStart(2, "0");
}
