import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "../../../parts/button.tsx";
import { SelectField, TextField } from "../../../parts/inputs/field.tsx";
import { refusalAt } from "../../../parts/refusal.ts";
import { emptyParameter, type ParameterDraft, type ParameterHandling } from "./handling-draft.ts";

const HANDLINGS: readonly { readonly value: ParameterHandling; readonly label: string }[] = [
  { value: "pass", label: "Pass through" },
  { value: "drop", label: "Drop" },
  { value: "refuse", label: "Reject the request" },
  { value: "rename", label: "Rename" },
];

interface ParameterFieldsProps {
  readonly rules: readonly ParameterDraft[];
  readonly onChange: (rules: readonly ParameterDraft[]) => void;
  readonly error: Error | null;
}

/** The parameter rules of a model in its form. */
export function ParameterFields({ rules, onChange, error }: ParameterFieldsProps): ReactNode {
  const refusal = refusalAt(error, "parameters");
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Parameter rules</legend>
      {rules.length === 0 && <p className="text-sm text-ink-3">None: each upstream gets the parameters that it supports.</p>}
      {rules.map((rule, at) => (
        <OneRule
          key={rule.key}
          rule={rule}
          number={at + 1}
          onChange={(changed) => onChange(rules.with(at, changed))}
          onRemove={() => onChange(rules.toSpliced(at, 1))}
        />
      ))}
      {refusal && (
        <p role="alert" className="text-sm wrap-anywhere text-bad">
          {refusal}
        </p>
      )}
      <div>
        <Button small onClick={() => onChange([...rules, emptyParameter()])}>
          <Plus size={14} aria-hidden />
          Add rule
        </Button>
      </div>
    </fieldset>
  );
}

interface OneRuleProps {
  readonly rule: ParameterDraft;
  readonly number: number;
  readonly onChange: (rule: ParameterDraft) => void;
  readonly onRemove: () => void;
}

function OneRule({ rule, number, onChange, onRemove }: OneRuleProps): ReactNode {
  return (
    <div role="group" aria-label={`Parameter rule ${number}`} className="grid grid-cols-2 gap-3 sm:grid-cols-[1fr_1fr_1fr_2rem]">
      <TextField label="Parameter" value={rule.name} onChange={({ target }) => onChange({ ...rule, name: target.value })} />
      <SelectField
        label="Handling"
        choices={HANDLINGS}
        value={rule.handling}
        onChange={({ target }) => onChange({ ...rule, handling: target.value as ParameterHandling })}
      />
      {rule.handling === "rename" && (
        <TextField label="New name" value={rule.rename} onChange={({ target }) => onChange({ ...rule, rename: target.value })} />
      )}
      <IconButton label={`Remove parameter rule ${number}`} onClick={onRemove} className="sm:col-start-4 sm:mt-6">
        <Trash2 size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
