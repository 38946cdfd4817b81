import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { TextArea } from "../../../parts/inputs/field.tsx";
import { Fold } from "../../../parts/fold.tsx";
import { Switch } from "../../../parts/inputs/switch.tsx";
import { EXAMPLE_TOOLS, readMore, readTools } from "../json-field.ts";
import type { Draft } from "../draft.ts";
import { ParameterSettings } from "./parameter-settings.tsx";
import { ResponseFormatFields } from "./response-format-fields.tsx";

interface DraftProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** Parameters are open where they fit beside the conversation, and folded otherwise. */
const isWide = (): boolean => matchMedia("(min-width: 80rem)").matches;

/** The settings of the request. */
export function Settings(props: DraftProps & { readonly models: readonly string[] }): ReactNode {
  const { draft, onChange } = props;
  return (
    <aside aria-label="Settings" className="card flex flex-col gap-1 px-4 py-3">
      <Switch label="Stream response" checked={draft.isStreamed} onChange={({ target }) => onChange({ isStreamed: target.checked })} />
      <ParameterSettings {...props} isOpen={isWide()} />
      <ResponseFormatFields format={draft.format} onChange={(format) => onChange({ format })} />
      <Fold title="Tools" isOpen={draft.tools !== ""} note={draft.tools === "" ? "none" : undefined}>
        <ToolsField {...props} />
      </Fold>
      <Fold title="Additional fields" isOpen={draft.more !== ""} note={draft.more === "" ? "none" : undefined}>
        <MoreField {...props} />
      </Fold>
    </aside>
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
