import type { ReactNode } from "react";
import type { ShownModel } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { exactMoney } from "../../parts/format.ts";
import { KeyPicker, ModelPicker } from "../../parts/resource-pickers.tsx";
import { calendarDay } from "../../parts/calendar-day.ts";

export interface Selection {
  readonly key: string;
  readonly model: string | null;
  /** A second model for comparison. */
  readonly beside: string | null;
}

/** An empty value clears the selection. */
export type OnSelect = (change: { readonly key?: string; readonly model?: string; readonly beside?: string }) => void;

interface KeyAndModelsProps {
  readonly selection: Selection;
  readonly onSelect: OnSelect;
}

/** The key to send with, and one or two models. */
export function KeyAndModels({ selection: { key, model, beside }, onSelect }: KeyAndModelsProps): ReactNode {
  return (
    <div className="card grid gap-x-4 gap-y-3 p-4 md:grid-cols-3">
      <KeyPicker
        value={key}
        state="active"
        onPick={(value) => value !== null && onSelect({ key: value })}
        hint="Its limits and the credit of its account apply."
      />
      <ModelPicker
        value={model}
        callableWith={key}
        onPick={(value) => value !== null && onSelect({ model: value })}
        placeholder="Select a model"
        hint={useHint(model)}
      />
      <ModelPicker
        label="Compare with"
        value={beside}
        callableWith={key}
        isClearable
        onPick={(value) => onSelect({ beside: value ?? "" })}
        placeholder="No comparison"
        hint={useHint(beside)}
      />
    </div>
  );
}

function useHint(model: string | null): string {
  const { data } = useApiQuery("showModel", { path: { id: model ?? "" } }, { enabled: model !== null });
  return data ? hintOf(data) : "";
}

/** The price of a model, and a warning if it is deprecated. */
function hintOf({ state, shutdown_date: last, replacement, price }: ShownModel): string {
  const cost =
    price &&
    `${exactMoney(String(price.input_per_million))} input, ${exactMoney(String(price.output_per_million))} output per million tokens.`;
  if (state === "available" || last === null) return cost ?? "No price: the model cannot be called.";
  return `Deprecated, shutdown on ${calendarDay(last)}. Use ${replacement} instead. ${cost ?? ""}`;
}
