import type { ReactNode } from "react";
import { SelectField, TextArea, TextField } from "../../parts/inputs/field.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { IDENTITY_FIELDS, type IdentityDraft, type IdentityField, type IdentityKind } from "./identity-draft.ts";

interface IdentityFieldsProps {
  readonly kind: IdentityKind;
  readonly draft: IdentityDraft;
  readonly onChange: (draft: IdentityDraft) => void;
  readonly error: Error | null;
}

/** The fields of a cloud identity. Secrets must be entered again with each change. */
export function IdentityFields({ kind, draft, onChange, error }: IdentityFieldsProps): ReactNode {
  return IDENTITY_FIELDS[kind].map((field) => (
    <OneField
      key={field.name}
      field={field}
      value={draft[field.name] ?? ""}
      onChange={(value) => onChange({ ...draft, [field.name]: value })}
      error={refusalAt(error, field.name)}
    />
  ));
}

interface OneFieldProps {
  readonly field: IdentityField;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}

function OneField({ field: { label, hint, required, secret, choices }, value, onChange, error }: OneFieldProps): ReactNode {
  const about = [hint, secret && "Stored encrypted and never shown again."].filter(Boolean).join(" ") || undefined;
  const shared = { label, hint: about, error, value, required: required === true };
  if (choices) {
    const all = Object.entries(choices).map(([each, name]) => ({ value: each, label: name }));
    return (
      <SelectField
        label={label}
        choices={all}
        value={value || all[0]!.value}
        onChange={({ target }) => onChange(target.value)}
        error={error}
      />
    );
  }
  if (secret === "long") {
    return <TextArea {...shared} isCode rows={4} autoComplete="off" spellCheck={false} onChange={({ target }) => onChange(target.value)} />;
  }
  const type = secret ? "password" : "text";
  return <TextField {...shared} type={type} autoComplete="off" onChange={({ target }) => onChange(target.value)} />;
}
