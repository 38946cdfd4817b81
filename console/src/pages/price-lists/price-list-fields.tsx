import type { ReactNode } from "react";
import { EditableRows, RemoveRow, type EditedRow } from "../../parts/inputs/editable-rows.tsx";
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
      <EditableRows
        title="Other models"
        hint="Percent of the base price, for models without a price below. Without one, the base price."
        rows={percents}
        onChange={(changed) => onChange({ ...draft, percents: changed })}
        addLabel="Add percentage"
        emptyRow={() => ({ percent: "", effective: "" })}
        error={refusalAt(error, "percent") ?? refusalAt(error, "percents")}
      >
        {(edited) => <PercentRow {...edited} />}
      </EditableRows>
      <EditableRows
        title="Price overrides"
        hint="US dollars per million tokens. An empty rate defaults to the input or output rate."
        rows={prices}
        onChange={(changed) => onChange({ ...draft, prices: changed })}
        addLabel="Add price"
        emptyRow={() => EMPTY_PRICE}
        error={refusalAt(error, "models")}
      >
        {(edited) => <PriceRow {...edited} />}
      </EditableRows>
    </>
  );
}

function PercentRow({ number, row: of, onChange, onRemove }: EditedRow<PercentDraft>): ReactNode {
  return (
    <div role="group" aria-label={`Percentage ${number}`} className="grid grid-cols-[1fr_1fr_2rem] items-end gap-3">
      <FigureField label="Percent" required value={of.percent} onChange={({ target }) => onChange({ ...of, percent: target.value })} />
      <TextField
        label="Effective from"
        type="date"
        value={of.effective}
        onChange={({ target }) => onChange({ ...of, effective: target.value })}
      />
      <RemoveRow what={`percentage ${number}`} onRemove={onRemove} />
    </div>
  );
}

function PriceRow({ number, row: of, onChange, onRemove }: EditedRow<PriceDraft>): ReactNode {
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
        <RemoveRow what={`price ${number}`} onRemove={onRemove} />
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
