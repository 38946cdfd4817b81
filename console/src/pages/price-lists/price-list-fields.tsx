import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "../../parts/button.tsx";
import { FigureField, TextField } from "../../parts/inputs/field.tsx";
import { inCount } from "../../parts/format/format.ts";
import { refusalAt } from "../../parts/refusal.ts";
import { ModelPicker } from "../../parts/inputs/resource-pickers.tsx";
import { EMPTY_PRICE, RATES, type PercentDraft, type PriceDraft, type PriceListDraft } from "./price-list-draft.ts";

/** The fields that show their own errors. */
export const SHOWN_AT_FIELD = ["id", "name", "percent", "percents", "models"];

interface PriceListFieldsProps {
  readonly draft: PriceListDraft;
  readonly onChange: (draft: PriceListDraft) => void;
  readonly error: Error | null;
}

export function PriceListFields({ draft, onChange, error }: PriceListFieldsProps): ReactNode {
  const { name, percents, prices } = draft;
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={100}
        value={name}
        onChange={({ target }) => onChange({ ...draft, name: target.value })}
        error={refusalAt(error, "name")}
      />
      <Rows
        title="Other models"
        about="Percent of the base price, for models without a price below. Without one, the base price."
        add="Add percentage"
        onAdd={() => onChange({ ...draft, percents: [...percents, { percent: "", effective: "" }] })}
        error={refusalAt(error, "percent") ?? refusalAt(error, "percents")}
      >
        {percents.map((each, at) => (
          // Rows have no ID; their order is stable.
          <PercentRow
            key={at}
            number={at + 1}
            of={each}
            onChange={(changed) => onChange({ ...draft, percents: percents.with(at, changed) })}
            onRemove={() => onChange({ ...draft, percents: percents.toSpliced(at, 1) })}
          />
        ))}
      </Rows>
      <Rows
        title="Own prices"
        about="US dollars per million tokens. An empty rate defaults to the input or output rate."
        add="Add price"
        onAdd={() => onChange({ ...draft, prices: [...prices, EMPTY_PRICE] })}
        error={refusalAt(error, "models")}
      >
        {prices.map((each, at) => (
          <PriceRow
            key={at}
            number={at + 1}
            of={each}
            onChange={(changed) => onChange({ ...draft, prices: prices.with(at, changed) })}
            onRemove={() => onChange({ ...draft, prices: prices.toSpliced(at, 1) })}
          />
        ))}
      </Rows>
    </>
  );
}

interface RowsProps {
  readonly title: string;
  readonly about: string;
  readonly add: string;
  readonly onAdd: () => void;
  readonly error: string | undefined;
  readonly children: ReactNode;
}

function Rows({ title, about, add, onAdd, error, children }: RowsProps): ReactNode {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="text-sm font-medium">{title}</legend>
      <p className="text-sm text-ink-3">{about}</p>
      {children}
      <div>
        <Button small onClick={onAdd}>
          <Plus size={14} aria-hidden />
          {add}
        </Button>
      </div>
      {error && (
        <p role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface RowProps<T> {
  readonly number: number;
  readonly of: T;
  readonly onChange: (changed: T) => void;
  readonly onRemove: () => void;
}

function PercentRow({ number, of, onChange, onRemove }: RowProps<PercentDraft>): ReactNode {
  return (
    <div role="group" aria-label={`Percentage ${number}`} className="grid grid-cols-[1fr_1fr_2rem] items-end gap-3">
      <FigureField label="Percent" required value={of.percent} onChange={({ target }) => onChange({ ...of, percent: target.value })} />
      <TextField
        label="Effective from"
        type="date"
        value={of.effective}
        onChange={({ target }) => onChange({ ...of, effective: target.value })}
      />
      <IconButton label={`Remove percentage ${number}`} onClick={onRemove}>
        <Trash2 size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

function PriceRow({ number, of, onChange, onRemove }: RowProps<PriceDraft>): ReactNode {
  return (
    <div role="group" aria-label={`Price ${number}`} className="flex flex-col gap-3 rounded-md border border-line p-3">
      <div className="grid grid-cols-[1fr_1fr_2rem] items-end gap-3">
        <ModelPicker value={of.model === "" ? null : of.model} onPick={(model) => onChange({ ...of, model: model ?? "" })} />
        <TextField
          label="Effective from"
          type="date"
          value={of.effective}
          onChange={({ target }) => onChange({ ...of, effective: target.value })}
        />
        <IconButton label={`Remove price ${number}`} onClick={onRemove}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      </div>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-5">
        {(Object.keys(RATES) as (keyof typeof RATES)[]).map((name, at) => (
          <FigureField
            key={name}
            label={`${RATES[name]}, $/M`}
            value={of[name]}
            required={at < 2}
            onChange={({ target }) => onChange({ ...of, [name]: target.value })}
          />
        ))}
      </div>
      {of.tiers.length > 0 && <p className="text-sm text-ink-3">{inCount(of.tiers.length, "price tier")}, kept as it is.</p>}
    </div>
  );
}
