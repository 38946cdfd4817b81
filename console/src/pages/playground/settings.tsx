import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { FigureField, SelectField, TextArea } from "../../parts/field.tsx";
import { Fold } from "../../parts/fold.tsx";
import { Switch } from "../../parts/switch.tsx";
import { EXAMPLE_TOOLS, readMore, readTools } from "./json-field.ts";
import type { Draft } from "./draft.ts";
import { NO_PARAMETERS, problemOfParameter, REASONING_EFFORTS, RESPONSE_FORMATS, type Parameters } from "./parameters.ts";

interface DraftProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** Parameters are open where they fit beside the conversation, and folded otherwise. */
const isWide = (): boolean => matchMedia("(min-width: 80rem)").matches;

/** The settings of the request. */
export function Settings(props: DraftProps): ReactNode {
  const { draft, onChange } = props;
  return (
    <aside aria-label="Settings" className="card flex flex-col gap-1 px-4 py-3">
      <Switch label="Stream response" checked={draft.isStreamed} onChange={({ target }) => onChange({ isStreamed: target.checked })} />
      <Fold title="Parameters" isOpen={isWide()} note={countSet(draft.parameters)}>
        <ParameterFields {...props} />
      </Fold>
      <Fold title="Tools" isOpen={draft.tools !== ""} note={draft.tools === "" ? "none" : undefined}>
        <ToolsField {...props} />
      </Fold>
      <Fold title="Additional fields" isOpen={draft.more !== ""} note={draft.more === "" ? "none" : undefined}>
        <MoreField {...props} />
      </Fold>
    </aside>
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

function ParameterFields({ draft: { parameters }, onChange }: DraftProps): ReactNode {
  const set = (change: Partial<Parameters>): void => onChange({ parameters: { ...parameters, ...change } });
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
        label="Response format"
        choices={RESPONSE_FORMATS}
        value={parameters.responseFormat}
        onChange={({ target }) => set({ responseFormat: target.value })}
      />
      <SelectField
        label="Reasoning effort"
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
          <Button small weight="quiet" onClick={() => onChange({ parameters: NO_PARAMETERS })}>
            Reset
          </Button>
        )}
      </p>
    </div>
  );
}

function ToolsField({ draft: { tools }, onChange }: DraftProps): ReactNode {
  return (
    <div className="flex flex-col items-start gap-2">
      <TextArea
        label="Tool definitions"
        rows={3}
        isCode
        grows
        className="w-full"
        value={tools}
        onChange={({ target }) => onChange({ tools: target.value })}
        hint="A JSON array. You enter the results of tool calls yourself."
        error={readTools(tools).problem}
      />
      {tools === "" && (
        <Button small onClick={() => onChange({ tools: EXAMPLE_TOOLS })}>
          Insert example
        </Button>
      )}
    </div>
  );
}

function MoreField({ draft: { more }, onChange }: DraftProps): ReactNode {
  return (
    <TextArea
      label="JSON fields"
      rows={3}
      isCode
      grows
      value={more}
      onChange={({ target }) => onChange({ more: target.value })}
      placeholder='{ "user": "ada" }'
      hint="A JSON object whose fields are sent unchanged."
      error={readMore(more).problem}
    />
  );
}
