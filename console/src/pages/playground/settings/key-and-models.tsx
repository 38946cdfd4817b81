import type { ReactNode } from "react";
import type { ShownModel } from "../../../../../platform-client/types.ts";
import { useApiQuery } from "../../../platform/use-api.ts";
import { exactMoney } from "../../../parts/format/format.ts";
import { KeyPicker, ModelPicker } from "../../../parts/inputs/resource-pickers.tsx";
import { calendarDay } from "../../../parts/format/calendar-day.ts";

export const MAX_MODELS = 4;

export interface Selection {
  readonly key: string;
  /** The models that receive the same messages. */
  readonly models: readonly string[];
}

interface KeyAndModelsProps {
  readonly selection: Selection;
  readonly onSelectKey: (key: string) => void;
  /** Selects the model at this position; null removes it. */
  readonly onSelectModel: (at: number, model: string | null) => void;
}

/** The key to send with, and up to four models. */
export function KeyAndModels({ selection: { key, models }, onSelectKey, onSelectModel }: KeyAndModelsProps): ReactNode {
  const places = Math.min(MAX_MODELS, Math.max(1, models.length) + 1);
  return (
    <div className="card grid gap-x-4 gap-y-3 p-4 md:grid-cols-3">
      <KeyPicker
        value={key}
        state="active"
        onPick={(value) => value !== null && onSelectKey(value)}
        hint="Its limits and the credit of its account apply."
      />
      {Array.from({ length: places }, (_, at) => (
        <PickedModel key={at} at={at} model={models[at] ?? null} callableWith={key} onPick={(model) => onSelectModel(at, model)} />
      ))}
    </div>
  );
}

interface PickedModelProps {
  readonly at: number;
  readonly model: string | null;
  readonly callableWith: string;
  readonly onPick: (model: string | null) => void;
}

function PickedModel({ at, model, callableWith, onPick }: PickedModelProps): ReactNode {
  const hint = useHint(model);
  if (at === 0) {
    const pickFirst = (value: string | null): void => void (value !== null && onPick(value));
    return (
      <ModelPicker kind="chat" value={model} callableWith={callableWith} onPick={pickFirst} placeholder="Select a model" hint={hint} />
    );
  }
  return (
    <ModelPicker
      label={model === null ? "Compare with" : `Model ${at + 1}`}
      kind="chat"
      value={model}
      callableWith={callableWith}
      isClearable
      onPick={onPick}
      placeholder={at === 1 ? "No comparison" : "Add a model"}
      hint={hint}
    />
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
