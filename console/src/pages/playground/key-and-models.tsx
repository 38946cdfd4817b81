import type { ReactNode } from "react";
import type { ShownModel } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import { exactMoney } from "../../parts/format.ts";
import { KeyPicker, ModelPicker } from "../../parts/resource-pickers.tsx";
import { calendarDay } from "../../parts/calendar-day.ts";

export interface Chosen {
  readonly key: string;
  readonly model: string | null;
  /** A second model, which is asked the same. */
  readonly beside: string | null;
}

/** What is empty is chosen no more. */
export type Choose = (change: { readonly key?: string; readonly model?: string; readonly beside?: string }) => void;

interface ChoicesProps {
  readonly chosen: Chosen;
  readonly onChoose: Choose;
}

/** Who asks, and whom. */
export function Choices({ chosen: { key, model, beside }, onChoose }: ChoicesProps): ReactNode {
  return (
    <div className="card grid gap-x-4 gap-y-3 p-4 md:grid-cols-3">
      <KeyPicker
        value={key}
        state="active"
        onPick={(value) => value !== null && onChoose({ key: value })}
        hint="Whose limits and credit count."
      />
      <ModelPicker
        value={model}
        callableWith={key}
        onPick={(value) => value !== null && onChoose({ model: value })}
        placeholder="Choose a model"
        hint={useHint(model)}
      />
      <ModelPicker
        label="Compare with"
        value={beside}
        callableWith={key}
        isClearable
        onPick={(value) => onChoose({ beside: value ?? "" })}
        placeholder="One model alone"
        hint={useHint(beside)}
      />
    </div>
  );
}

function useHint(model: string | null): string {
  const { data } = useLook("showModel", { path: { id: model ?? "" } }, { enabled: model !== null });
  return data ? hintOf(data) : "";
}

/** What to know of a model before it is asked. */
function hintOf({ state, shutdown_date: last, replacement, price }: ShownModel): string {
  const cost =
    price && `${exactMoney(String(price.input_per_million))} in, ${exactMoney(String(price.output_per_million))} out a million tokens.`;
  if (state === "available" || last === null) return cost ?? "It has no price, so it cannot be called.";
  return `Deprecated: it ends on ${calendarDay(last)}. Use ${replacement}. ${cost ?? ""}`;
}
