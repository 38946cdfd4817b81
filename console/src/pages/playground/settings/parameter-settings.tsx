import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { FigureField, SelectField, TextArea } from "../../../parts/inputs/field.tsx";
import { Fold } from "../../../parts/fold.tsx";
import { Switch } from "../../../parts/inputs/switch.tsx";
import { parametersOf, type Draft } from "../draft.ts";
import { NO_PARAMETERS, problemOfParameter, REASONING_EFFORTS, type Parameters } from "./parameters.ts";

interface ParameterSettingsProps {
  readonly draft: Draft;
  readonly models: readonly string[];
  readonly isOpen: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The parameters that all models share, or the parameters of each model. */
export function ParameterSettings({ draft, models, isOpen, onChange }: ParameterSettingsProps): ReactNode {
  const { parameters, own } = draft;
  const eachOwn = models.map((_, lane) => parametersOf(draft, lane));
  return (
    <>
      {(models.length > 1 || own) && (
        <Switch
          label="Same parameters for all models"
          checked={own === null}
          onChange={({ target }) => onChange(target.checked ? { parameters: parametersOf(draft, 0), own: null } : { own: eachOwn })}
        />
      )}
      {own === null ? (
        <Fold key="shared" title="Parameters" isOpen={isOpen} note={countSet(parameters)}>
          <ParameterFields parameters={parameters} onChange={(changed) => onChange({ parameters: changed })} />
        </Fold>
      ) : (
        models.map((model, lane) => (
          <Fold key={lane} title={`Parameters of ${model}`} isOpen={isOpen && lane === 0} note={countSet(eachOwn[lane]!)}>
            <ParameterFields parameters={eachOwn[lane]!} onChange={(changed) => onChange({ own: eachOwn.with(lane, changed) })} />
          </Fold>
        ))
      )}
    </>
  );
}

function countSet(parameters: Parameters): string | undefined {
  const set = Object.values(parameters).filter((value) => value !== "").length;
  return set === 0 ? undefined : `${set} set`;
}

const FIGURES = [
  { name: "temperature", label: "Temperature" },
  { name: "topP", label: "Top P" },
  { name: "maxTokens", label: "Max tokens" },
  { name: "seed", label: "Seed" },
] as const;

interface ParameterFieldsProps {
  readonly parameters: Parameters;
  readonly onChange: (parameters: Parameters) => void;
}

function ParameterFields({ parameters, onChange }: ParameterFieldsProps): ReactNode {
  const set = (change: Partial<Parameters>): void => onChange({ ...parameters, ...change });
  return (
    <div className="grid grid-cols-2 gap-3">
      {FIGURES.map(({ name, label }) => (
        <FigureField
          key={name}
          label={label}
          value={parameters[name]}
          onChange={({ target }) => set({ [name]: target.value })}
          placeholder="Not set"
          error={problemOfParameter(parameters, name)}
        />
      ))}
      <SelectField
        label="Reasoning effort"
        className="col-span-2"
        choices={REASONING_EFFORTS}
        value={parameters.reasoningEffort}
        onChange={({ target }) => set({ reasoningEffort: target.value })}
      />
      <TextArea
        label="Stop sequences"
        rows={2}
        isCode
        className="col-span-2"
        value={parameters.stop}
        onChange={({ target }) => set({ stop: target.value })}
        hint="One per line."
      />
      <p className="col-span-2 flex items-center justify-between gap-2 text-sm text-ink-3">
        Unset parameters are not sent.
        {countSet(parameters) && (
          <Button small weight="quiet" onClick={() => onChange(NO_PARAMETERS)}>
            Reset
          </Button>
        )}
      </p>
    </div>
  );
}
