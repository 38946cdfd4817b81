import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "../../parts/button.tsx";
import { FigureField, SelectField, TextField } from "../../parts/inputs/field.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { isRequiredRate, ratesOf, type RATES, type ModelDraft, type PriceDraft, type Pricing } from "./model-draft.ts";

const CHOICES = [
  { value: "keep", label: "Unchanged" },
  { value: "default", label: "Provider list price" },
  { value: "set", label: "Custom price" },
  { value: "free", label: "Free" },
];

const LABELS: Record<(typeof RATES)[number], string> = {
  input_per_million: "Input",
  output_per_million: "Output",
  cached_input_per_million: "Cached input",
  cache_write_per_million: "Cache write",
  cache_write_1h_per_million: "Cache write for 1 h",
  reasoning_per_million: "Reasoning",
};

const HINTS: Record<Pricing, string> = {
  keep: "The current price stays in force.",
  default: "From the price list in this release. A model that is not on the list cannot be called.",
  set: "US dollars per million tokens. An empty rate defaults to the input or output rate; without a rate, cache writes for 1 h are refused.",
  free: "Requests are metered and cost nothing.",
};

interface PriceFieldsProps {
  readonly draft: ModelDraft;
  readonly onChange: (changed: Partial<ModelDraft>) => void;
  readonly error: Error | null;
  readonly isNew: boolean;
}

/** The price of a model in its form. */
export function PriceFields({ draft: { pricing, price, kind }, onChange, error, isNew }: PriceFieldsProps): ReactNode {
  const set = (changed: Partial<PriceDraft>): void => onChange({ price: { ...price, ...changed } });
  const trouble = refusalAt(error, "price") ?? refusalAt(error, "prices");
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">Price</legend>
      <SelectField
        label="Price"
        choices={isNew ? CHOICES.slice(1) : CHOICES}
        value={pricing}
        onChange={({ target }) => onChange({ pricing: target.value as Pricing })}
        hint={HINTS[pricing]}
      />
      {pricing === "set" && (
        <div className="flex flex-col gap-3 rounded-md border border-line p-3">
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
            {ratesOf(kind).map((name) => (
              <FigureField
                key={name}
                label={`${LABELS[name]}, $/M`}
                value={price[name]}
                onChange={({ target }) => set({ [name]: target.value })}
                required={isRequiredRate(name)}
                error={refusalAt(error, `price.${name}`)}
              />
            ))}
            <TextField
              label="Effective from"
              type="date"
              value={price.effective}
              onChange={({ target }) => set({ effective: target.value })}
              hint="Immediately if empty."
            />
          </div>
          {kind === "chat" && <Tiers tiers={price.tiers ?? []} onChange={(tiers) => set({ tiers })} />}
        </div>
      )}
      {trouble && (
        <p role="alert" className="text-sm text-bad">
          {trouble}
        </p>
      )}
    </fieldset>
  );
}

type Tier = NonNullable<PriceDraft["tiers"]>[number];

const TIER_FIELDS = {
  above_input_tokens: "Above input tokens",
  input_per_million: "Input, $/M",
  output_per_million: "Output, $/M",
} as const;

/** Tiers: other rates for requests with a long input. */
function Tiers({ tiers, onChange }: { readonly tiers: readonly Tier[]; readonly onChange: (tiers: readonly Tier[]) => void }): ReactNode {
  const empty = { above_input_tokens: "", input_per_million: "", output_per_million: "" } as unknown as Tier;
  return (
    <>
      {tiers.map((tier, at) => (
        // Tiers have no ID; their order is stable.
        <div key={at} role="group" aria-label={`Tier ${at + 1}`} className="grid grid-cols-[1fr_1fr_1fr_2rem] items-end gap-3">
          {(Object.keys(TIER_FIELDS) as (keyof typeof TIER_FIELDS)[]).map((name) => (
            <FigureField
              key={name}
              label={TIER_FIELDS[name]}
              value={String(tier[name])}
              onChange={({ target }) => onChange(tiers.with(at, { ...tier, [name]: target.value as unknown as number }))}
              required
            />
          ))}
          <IconButton label={`Remove tier ${at + 1}`} onClick={() => onChange(tiers.toSpliced(at, 1))}>
            <Trash2 size={16} aria-hidden />
          </IconButton>
        </div>
      ))}
      <div>
        <Button small onClick={() => onChange([...tiers, empty])}>
          <Plus size={14} aria-hidden />
          Add price tier
        </Button>
      </div>
    </>
  );
}
