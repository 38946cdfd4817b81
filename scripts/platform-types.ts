/** The parts of an OpenAPI schema that the platform's description uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
}

interface OperationDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>>;
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDescription>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const HEAD = `/* Written by \`npm run openapi\` from openapi/platform.json: change the operation, not this file. */\n`;

/** The TypeScript types of each operation's parameters, body and reply, and its method and path. */
export function platformTypes({ paths, components }: Description): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), described })),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => `${doc(schema)}export type ${name} = ${typeOf(schema)};\n`);
  const calls = operations.map(({ described }) => `  /** ${described.summary} */\n  ${described.operationId}: ${callOf(described)};\n`);
  const places = operations.map(({ path, method, described }) => `  ${described.operationId}: ["${method}", "${path}"],\n`);
  return [
    HEAD,
    ...schemas,
    `/** The parameters, body and reply of each operation. */\nexport interface Operations {\n${calls.join("")}}\n`,
    `/** The method and path of each operation. */\nexport const PLACES = {\n${places.join("")}} as const satisfies Record<keyof Operations, readonly [string, string]>;\n`,
  ].join("\n");
}

function callOf({ parameters = [], requestBody, responses }: OperationDescription): string {
  const reply = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const json = reply?.content?.["application/json"]?.schema;
  return `{ path: ${given(parameters, "path", "")}; query: ${given(parameters, "query", "?")}; body: ${bodyOf(requestBody)}; reply: ${json ? typeOf(json) : "undefined"} }`;
}

function given(parameters: NonNullable<OperationDescription["parameters"]>, place: string, mark: string): string {
  const own = parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return "undefined";
  return `{ ${own.map(({ name, schema }) => `${name}${mark}: ${typeOf(schema)}`).join("; ")} }`;
}

function bodyOf(body: OperationDescription["requestBody"]): string {
  const schema = body?.content["application/json"]?.schema;
  return schema ? typeOf(schema) : "undefined";
}

function typeOf(schema: Schema): string {
  const type = bareTypeOf(schema);
  return schema.nullable && type !== "unknown" ? `${type} | null` : type;
}

function bareTypeOf({ $ref, oneOf, enum: values, type, items, properties, required = [], additionalProperties }: Schema): string {
  if ($ref) return $ref.slice($ref.lastIndexOf("/") + 1);
  if (oneOf) return oneOf.map(typeOf).join(" | ");
  if (values)
    return values
      .filter((value) => value !== null)
      .map((value) => JSON.stringify(value))
      .join(" | ");
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return `readonly (${items ? typeOf(items) : "unknown"})[]`;
  if (type !== "object") return type ?? "unknown";
  if (properties) {
    const fields = Object.entries(properties).map(
      ([name, field]) => `readonly ${quoted(name)}${required.includes(name) ? "" : "?"}: ${typeOf(field)}`,
    );
    return `{ ${fields.join("; ")} }`;
  }
  return `Readonly<Record<string, ${typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown"}>>`;
}

function quoted(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
}

function doc({ description }: Schema): string {
  return description ? `/** ${description} */\n` : "";
}
