import { readObject } from "../json-field.ts";
import { canonical } from "../json-schema/place.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The response format in the form. */
export interface ResponseFormat {
  readonly type: string;
  /** `json_schema` only: name, schema and strictness. */
  readonly name: string;
  /** JSON. */
  readonly schema: string;
  readonly isStrict: boolean;
}

export const NO_FORMAT: ResponseFormat = { type: "", name: "response", schema: "", isStrict: true };

export const RESPONSE_FORMATS = [
  { value: "", label: "Not set" },
  { value: "text", label: "Text" },
  { value: "json_object", label: "JSON" },
  { value: "json_schema", label: "JSON schema" },
];

export const EXAMPLE_SCHEMA = JSON.stringify(
  {
    type: "object",
    properties: { city: { type: "string" }, population: { type: "integer" } },
    required: ["city", "population"],
    additionalProperties: false,
  },
  null,
  2,
);

/** The naming rule of the providers. */
export function problemOfName(name: string): string | undefined {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name) ? undefined : "1 to 64 letters, digits, _ and -.";
}

export function problemOfSchema(schema: string): string | undefined {
  return schema.trim() === "" ? "Enter a JSON Schema." : readObject(schema).problem;
}

export function isInvalidFormat({ type, name, schema }: ResponseFormat): boolean {
  return type === "json_schema" && (problemOfName(name) ?? problemOfSchema(schema)) !== undefined;
}

/** The request field. */
export function formatField({ type, name, schema, isStrict }: ResponseFormat): Fields {
  if (type === "") return {};
  if (type !== "json_schema") return { response_format: { type } };
  return { response_format: { type, json_schema: { name, ...(isStrict && { strict: true }), schema: readObject(schema).value ?? {} } } };
}

/** Reads the format from request fields. A format that the form cannot show stays in `rest`, unchanged. */
export function readFormat(fields: Fields): { format: ResponseFormat; rest: Fields } {
  const { response_format: given, ...rest } = fields;
  const { type, json_schema: declared } = (given ?? {}) as Fields;
  const { name, schema, strict } = (declared ?? {}) as Fields;
  const known = RESPONSE_FORMATS.some(({ value }) => value !== "" && value === type) ? String(type) : "";
  const schemaPart = { name: String(name), schema: JSON.stringify(schema ?? null, null, 2), isStrict: strict === true };
  const format = { ...NO_FORMAT, type: known, ...(known === "json_schema" && schemaPart) };
  const isSame = known !== "" && canonical(formatField(format)["response_format"]) === canonical(given);
  return isSame ? { format, rest } : { format: NO_FORMAT, rest: fields };
}

/** The schema that a request asks the response to match. */
export function schemaIn(body: Fields): unknown {
  const { type, json_schema: declared } = (body["response_format"] ?? {}) as Fields;
  return type === "json_schema" ? (declared as Fields | undefined)?.["schema"] : undefined;
}
