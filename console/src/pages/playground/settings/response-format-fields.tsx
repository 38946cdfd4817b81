import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { CheckField, SelectField, TextArea, TextField } from "../../../parts/inputs/field.tsx";
import { Fold } from "../../../parts/fold.tsx";
import { EXAMPLE_SCHEMA, problemOfName, problemOfSchema, RESPONSE_FORMATS, type ResponseFormat } from "./response-format.ts";

interface ResponseFormatFieldsProps {
  readonly format: ResponseFormat;
  readonly onChange: (format: ResponseFormat) => void;
}

export function ResponseFormatFields(props: ResponseFormatFieldsProps): ReactNode {
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
