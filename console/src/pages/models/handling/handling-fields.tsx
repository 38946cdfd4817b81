import type { ReactNode } from "react";
import { FigureField, SelectField } from "../../../parts/inputs/field.tsx";
import { Fold } from "../../../parts/fold.tsx";
import { refusalAt } from "../../../parts/refusal.ts";
import { TimeoutFields } from "../../upstreams/handling/timeout-fields.tsx";
import { UnknownParametersField } from "../../upstreams/handling/unknown-parameters-field.tsx";
import { FallbackFields } from "./fallback-fields.tsx";
import type { HandlingDraft } from "./handling-draft.ts";
import { MirrorFields } from "./mirror-fields.tsx";
import { ParameterFields } from "./parameter-fields.tsx";

/** The fields that show their own errors. */
export const HANDLING_FIELD_NAMES = [
  "cache.ttl_seconds",
  "cache.price_percent",
  "mirror",
  "timeouts",
  "parameters",
  "selection",
  "fallback_models",
] as const;

interface HandlingFieldsProps {
  readonly draft: HandlingDraft;
  readonly onChange: (draft: HandlingDraft) => void;
  readonly error: Error | null;
}

/** The handling of a model's requests in its form: session affinity, response cache, mirror, timeouts, parameter rules and fallback models. */
export function HandlingFields({ draft, onChange, error }: HandlingFieldsProps): ReactNode {
  const set = (changed: Partial<HandlingDraft>): void => onChange({ ...draft, ...changed });
  const hasError = HANDLING_FIELD_NAMES.some((name) => refusalAt(error, name) !== undefined);
  return (
    <Fold title="Request handling" note="session affinity, cache, mirror, timeouts, parameters, fallbacks" hasError={hasError}>
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-3">
          <SelectField
            label="Session affinity"
            choices={[
              { value: "", label: "Automatic" },
              { value: "on", label: "On" },
              { value: "off", label: "Off" },
            ]}
            value={draft.sticky}
            onChange={({ target }) => set({ sticky: target.value as HandlingDraft["sticky"] })}
            hint="Keeps a conversation on one upstream. Automatic: where cached input is cheaper."
          />
          <SelectField
            label="Route selection"
            choices={[
              { value: "weighted", label: "Weighted" },
              { value: "exact", label: "Exact weights" },
              { value: "least_busy", label: "Least busy" },
              { value: "lowest_latency", label: "Lowest latency" },
              { value: "lowest_cost", label: "Lowest cost" },
            ]}
            value={draft.selection}
            onChange={({ target }) => set({ selection: target.value as HandlingDraft["selection"] })}
            hint="Among the ready routes of a priority."
            error={refusalAt(error, "selection")}
          />
          <FigureField
            label="Response cache, seconds"
            value={draft.cacheTtl}
            onChange={({ target }) => set({ cacheTtl: target.value })}
            placeholder="Off"
            hint="How long a response is kept."
            error={refusalAt(error, "cache.ttl_seconds")}
          />
          <FigureField
            label="Price of a cache hit, %"
            value={draft.cachePrice}
            onChange={({ target }) => set({ cachePrice: target.value })}
            placeholder="0"
            hint="Percent of the model's price."
            error={refusalAt(error, "cache.price_percent")}
          />
        </div>
        <MirrorFields draft={draft.mirror} onChange={(mirror) => set({ mirror })} error={error} />
        <TimeoutFields draft={draft.timeouts} onChange={(timeouts) => set({ timeouts })} placeholder="From upstream" error={error} />
        <ParameterFields rules={draft.parameters} onChange={(parameters) => set({ parameters })} error={error} />
        <UnknownParametersField
          value={draft.unknownParameters}
          onChange={(unknownParameters) => set({ unknownParameters })}
          fallback="As the upstream does"
        />
        <FallbackFields fallbacks={draft.fallbacks} onChange={(fallbacks) => set({ fallbacks })} error={error} />
      </div>
    </Fold>
  );
}
