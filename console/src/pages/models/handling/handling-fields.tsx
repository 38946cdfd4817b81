import type { ReactNode } from "react";
import { FigureField, SelectField, TextField, CheckField } from "../../../parts/inputs/field.tsx";
import { Fold } from "../../../parts/fold.tsx";
import { refusalAt } from "../../../parts/refusal.ts";
import { TimeoutFields } from "../../upstreams/handling/timeout-fields.tsx";
import { UnknownParametersField } from "../../upstreams/handling/unknown-parameters-field.tsx";
import { type HandlingDraft, emptyParameter, type ParameterDraft, type ParameterHandling } from "./handling-draft.ts";
import { UpstreamPicker } from "../../../parts/inputs/resource-pickers.tsx";
import type { MirrorDraft } from "./mirror-draft.ts";
import { EditableRows, RemoveRow, type EditedRow } from "../../../parts/inputs/editable-rows.tsx";
import { ALL_CONDITIONS, CONDITIONS, emptyFallback, type FallbackDraft } from "./fallbacks-draft.ts";

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
            hint="Keeps a conversation on one upstream. Automatic: where cached input is cheaper, and for coding agents."
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

interface MirrorFieldsProps {
  readonly draft: MirrorDraft;
  readonly onChange: (draft: MirrorDraft) => void;
  readonly error: Error | null;
}

/** The mirror of a model in its form. */
function MirrorFields({ draft, onChange, error }: MirrorFieldsProps): ReactNode {
  return (
    <div role="group" aria-label="Mirror" className="grid gap-4 sm:grid-cols-3">
      <UpstreamPicker
        label="Mirror"
        value={draft.upstream}
        onPick={(upstream) => onChange({ ...draft, upstream })}
        isClearable
        placeholder="None"
        hint="Receives a copy of some requests, for comparison."
        error={refusalAt(error, "mirror.upstream")}
      />
      <TextField
        label="Model at the mirror"
        value={draft.model}
        onChange={({ target }) => onChange({ ...draft, model: target.value })}
        error={refusalAt(error, "mirror.model")}
      />
      <FigureField
        label="Mirrored requests, %"
        value={draft.percent}
        onChange={({ target }) => onChange({ ...draft, percent: target.value })}
        placeholder="5"
        error={refusalAt(error, "mirror.percent")}
      />
    </div>
  );
}

interface FallbackFieldsProps {
  readonly fallbacks: readonly FallbackDraft[];
  readonly onChange: (fallbacks: readonly FallbackDraft[]) => void;
  readonly error: Error | null;
}

/** The fallback models of a model in its form, in order. */
function FallbackFields({ fallbacks, onChange, error }: FallbackFieldsProps): ReactNode {
  return (
    <EditableRows
      title="Fallback models"
      rows={fallbacks}
      onChange={onChange}
      addLabel="Add fallback"
      emptyRow={emptyFallback}
      hint={fallbacks.length === 0 && "None: when this model cannot answer, the caller receives its error."}
      error={refusalAt(error, "fallback_models")}
    >
      {(edited) => <OneFallback {...edited} />}
    </EditableRows>
  );
}

function OneFallback({ row: fallback, number, onChange, onRemove }: EditedRow<FallbackDraft>): ReactNode {
  const { model, on } = fallback;
  return (
    <div role="group" aria-label={`Fallback model ${number}`} className="grid grid-cols-2 gap-3 sm:grid-cols-[1fr_1fr_2rem]">
      <TextField label="Model" value={model} onChange={({ target }) => onChange({ ...fallback, model: target.value })} />
      <div className="flex flex-col gap-1 sm:mt-5">
        {ALL_CONDITIONS.map((condition) => (
          <CheckField
            key={condition}
            label={CONDITIONS[condition]}
            checked={on.includes(condition)}
            onChange={({ target }) =>
              onChange({ ...fallback, on: ALL_CONDITIONS.filter((each) => (each === condition ? target.checked : on.includes(each))) })
            }
          />
        ))}
      </div>
      <RemoveRow what={`fallback model ${number}`} onRemove={onRemove} className="sm:mt-6" />
    </div>
  );
}

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
function ParameterFields({ rules, onChange, error }: ParameterFieldsProps): ReactNode {
  return (
    <EditableRows
      title="Parameter rules"
      rows={rules}
      onChange={onChange}
      addLabel="Add rule"
      emptyRow={emptyParameter}
      hint={rules.length === 0 && "None: each upstream gets the parameters that it supports."}
      error={refusalAt(error, "parameters")}
    >
      {(edited) => <OneRule {...edited} />}
    </EditableRows>
  );
}

function OneRule({ row: rule, number, onChange, onRemove }: EditedRow<ParameterDraft>): ReactNode {
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
      <RemoveRow what={`parameter rule ${number}`} onRemove={onRemove} className="sm:col-start-4 sm:mt-6" />
    </div>
  );
}
