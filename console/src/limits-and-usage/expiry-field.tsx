import { useState, type ReactNode } from "react";
import { SelectField, TextField } from "../parts/inputs/field.tsx";
import { formFields } from "../parts/inputs/form.ts";
import { day } from "../parts/format/format.ts";
import { dateField, expiresAt, type Expiry } from "./expiry.ts";

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
