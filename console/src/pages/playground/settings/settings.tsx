import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { TextArea, CheckField, SelectField, TextField } from "../../../parts/inputs/field.tsx";
import { Fold } from "../../../parts/fold.tsx";
import { Switch } from "../../../parts/inputs/switch.tsx";
import { EXAMPLE_TOOLS, readMore, readTools } from "../json-field.ts";
import type { Draft } from "../draft.ts";
import { ParameterSettings } from "./parameter-settings.tsx";
import { EXAMPLE_SCHEMA, problemOfName, problemOfSchema, RESPONSE_FORMATS, type ResponseFormat } from "./response-format.ts";

interface DraftProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** Whether parameters fit beside the conversation. They are open then, and folded otherwise. */
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

interface ResponseFormatFieldsProps {
  readonly format: ResponseFormat;
  readonly onChange: (format: ResponseFormat) => void;
}

function ResponseFormatFields(props: ResponseFormatFieldsProps): ReactNode {
  const { format, onChange } = props;
  const note = RESPONSE_FORMATS.find(({ value }) => value !== "" && value === format.type)?.label;
  return (
    <Fold title="Structured output" isOpen={format.type !== ""} note={note ?? "none"}>
      <div className="flex flex-col gap-3">
        <SelectField
          label="Response format"
          choices={RESPONSE_FORMATS}
          value={format.type}
          onChange={({ target }) => onChange({ ...format, type: target.value })}
        />
        {format.type === "json_schema" && <SchemaFields {...props} />}
      </div>
    </Fold>
  );
}

function SchemaFields({ format, onChange }: ResponseFormatFieldsProps): ReactNode {
  const { name, schema, isStrict } = format;
  return (
    <>
      <TextField
        label="Schema name"
        value={name}
        onChange={({ target }) => onChange({ ...format, name: target.value })}
        error={problemOfName(name)}
      />
      <TextArea
        label="Schema"
        rows={5}
        isCode
        grows
        value={schema}
        onChange={({ target }) => onChange({ ...format, schema: target.value })}
        hint="Responses are checked against it in this browser."
        error={problemOfSchema(schema)}
      />
      {schema === "" && (
        <div>
          <Button small onClick={() => onChange({ ...format, schema: EXAMPLE_SCHEMA })}>
            Insert example
          </Button>
        </div>
      )}
      <CheckField
        label="Strict"
        hint="The provider enforces the schema."
        checked={isStrict}
        onChange={({ target }) => onChange({ ...format, isStrict: target.checked })}
      />
    </>
  );
}
