import type { ReactNode } from "react";
import { CheckField, FigureField, SelectField, TextField } from "../../parts/inputs/field.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import type { ModelDraft } from "./model-draft.ts";
import { HANDLING_FIELD_NAMES, HandlingFields } from "./handling/handling-fields.tsx";
import { CAPABILITIES, KINDS, type Capability } from "./format-model.ts";
import { PriceFields } from "./price-fields.tsx";
import { RouteFields } from "./route-fields.tsx";

/** The fields that show their own validation errors. */
export const SHOWN_AT_FIELD = [
  "id",
  "owned_by",
  "accounts",
  "routes",
  "price",
  "prices",
  "context_window",
  "max_output_tokens",
  "kind",
  ...HANDLING_FIELD_NAMES,
] as const;

const KIND_CHOICES = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

interface ModelFieldsProps {
  readonly draft: ModelDraft;
  readonly onChange: (draft: ModelDraft) => void;
  readonly error: Error | null;
  readonly isNew?: boolean;
}

/** The form of a model. */
export function ModelFields({ draft, onChange, error, isNew = false }: ModelFieldsProps): ReactNode {
  const set = (changed: Partial<ModelDraft>): void => onChange({ ...draft, ...changed });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {isNew && (
          <TextField
            label="ID"
            value={draft.id}
            onChange={({ target }) => set({ id: target.value })}
            required
            autoFocus
            hint="The value of model in requests. It cannot be changed later."
            error={refusalAt(error, "id")}
          />
        )}
        <TextField
          label="Owner"
          value={draft.ownedBy}
          onChange={({ target }) => set({ ownedBy: target.value })}
          placeholder={isNew ? "tollgate" : undefined}
          hint="Returned to callers as owned_by."
          error={refusalAt(error, "owned_by")}
        />
        <TextField
          label="Accounts"
          value={draft.accounts}
          onChange={({ target }) => set({ accounts: target.value })}
          placeholder="All accounts"
          hint="IDs of the accounts that may call it, separated by commas. For all others it does not exist."
          error={refusalAt(error, "accounts")}
        />
        <SelectField
          label="Kind"
          value={draft.kind}
          onChange={({ target }) => set({ kind: target.value as ModelDraft["kind"] })}
          choices={KIND_CHOICES}
          error={refusalAt(error, "kind")}
        />
      </div>
      <RouteFields routes={draft.routes} onChange={(routes) => set({ routes })} error={error} />
      <PriceFields draft={draft} onChange={set} error={error} isNew={isNew} />
      <div className="grid gap-4 sm:grid-cols-2">
        <FigureField
          label="Context window, tokens"
          value={draft.contextWindow}
          onChange={({ target }) => set({ contextWindow: target.value })}
          placeholder="Unknown"
          error={refusalAt(error, "context_window")}
        />
        <FigureField
          label="Max output tokens"
          value={draft.maxOutput}
          onChange={({ target }) => set({ maxOutput: target.value })}
          placeholder="Set by the upstream"
          error={refusalAt(error, "max_output_tokens")}
        />
      </div>
      <CapabilityFields chosen={draft.capabilities} onChange={(capabilities) => set({ capabilities })} />
      <HandlingFields draft={draft.handling} onChange={(handling) => set({ handling })} error={error} />
    </>
  );
}

interface CapabilityFieldsProps {
  readonly chosen: readonly Capability[];
  readonly onChange: (chosen: readonly Capability[]) => void;
}

function CapabilityFields({ chosen, onChange }: CapabilityFieldsProps): ReactNode {
  const all = Object.entries(CAPABILITIES) as [Capability, string][];
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Capabilities</legend>
      <div className="grid grid-cols-2 gap-x-4 gap-y-1 sm:grid-cols-4">
        {all.map(([capability, label]) => (
          <CheckField
            key={capability}
            label={label}
            checked={chosen.includes(capability)}
            onChange={({ target }) =>
              onChange(all.map(([name]) => name).filter((name) => (name === capability ? target.checked : chosen.includes(name))))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
