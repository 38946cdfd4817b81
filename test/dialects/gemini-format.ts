import { isObject } from "../../src/lib/schema/schema.ts";

/** The fields of `GenerateContentRequest` that the gateway sends, checked as strictly as by Google: an unknown name is an error. */

export interface GeminiPart {
  text?: string;
  thoughtSignature?: string;
  functionCall?: { id?: string; name: string; args: Record<string, unknown> };
  functionResponse?: { id?: string; name: string; response: Record<string, unknown> };
  inlineData?: { mimeType: string; data: string };
  fileData?: { fileUri: string; mimeType?: string };
}

export interface GeminiContent {
  role: "user" | "model";
  parts: GeminiPart[];
}

export interface GeminiBody {
  systemInstruction?: { parts: GeminiPart[] };
  contents: GeminiContent[];
  tools?: { functionDeclarations: { name: string }[] }[];
  toolConfig?: { functionCallingConfig: { mode: string; allowedFunctionNames?: string[] } };
  generationConfig?: Record<string, unknown>;
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string" && value !== "";
const flag: Check = (value) => typeof value === "boolean";
const number: Check = (value) => Number.isFinite(value);
const int32: Check = (value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31 + 1;
const schema: Check = isObject;
const list =
  (item: Check, max = Number.POSITIVE_INFINITY): Check =>
  (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= max && value.every(item);
const oneOf =
  (...values: string[]): Check =>
  (value) =>
    values.includes(value as string);

/** An object with exactly these fields. Fields with a star are required. */
function shape(fields: Record<string, Check>): Check {
  const required = Object.keys(fields).filter((name) => name.endsWith("*"));
  return (value) =>
    isObject(value) &&
    required.every((name) => Object.hasOwn(value, name.slice(0, -1))) &&
    Object.entries(value).every(([name, field]) => (fields[name] ?? fields[`${name}*`] ?? (() => false))(field));
}

const KINDS = ["text", "inlineData", "fileData", "functionCall", "functionResponse"];

const partFields = shape({
  text,
  thoughtSignature: text,
  inlineData: shape({ "mimeType*": (value) => /^[^/]+\/[^/]+$/.test(String(value)), "data*": text }),
  fileData: shape({ "fileUri*": text, mimeType: text }),
  functionCall: shape({ id: text, "name*": text, "args*": schema }),
  functionResponse: shape({ id: text, "name*": text, "response*": schema }),
});

const part: Check = (value) => partFields(value) && KINDS.filter((kind) => kind in (value as object)).length === 1;

const thinkingConfig: Check = (value) =>
  shape({ includeThoughts: flag, thinkingBudget: int32, thinkingLevel: oneOf("minimal", "low", "medium", "high") })(value) &&
  "thinkingBudget" in (value as object) !== "thinkingLevel" in (value as object);

const bodyFields = shape({
  systemInstruction: shape({ "parts*": list(shape({ "text*": text })) }),
  "contents*": list(shape({ "role*": oneOf("user", "model"), "parts*": list(part) })),
  tools: list(
    shape({
      "functionDeclarations*": list(
        shape({ "name*": text, description: (value) => typeof value === "string", parametersJsonSchema: schema }),
      ),
    }),
  ),
  toolConfig: shape({
    "functionCallingConfig*": shape({ "mode*": oneOf("AUTO", "ANY", "NONE", "VALIDATED"), allowedFunctionNames: list(text) }),
  }),
  generationConfig: shape({
    maxOutputTokens: (value) => Number.isInteger(value) && (value as number) > 0,
    temperature: number,
    topP: number,
    topK: int32,
    seed: int32,
    frequencyPenalty: number,
    presencePenalty: number,
    stopSequences: list(text, 5),
    responseMimeType: oneOf("application/json"),
    responseJsonSchema: schema,
    thinkingConfig,
  }),
});

/** The problem in a request body, as a short text; undefined if there is none. */
export function findGeminiViolation(body: unknown): string | undefined {
  if (!bodyFields(body)) return "an unknown name, a wrong type, or an empty part";
  const { contents, tools, toolConfig } = body as GeminiBody;
  if (contents[0]!.role !== "user") return "the first turn is not the user's";
  if (contents.some(({ role }, at) => role === contents[at + 1]?.role)) return "two turns of one side";
  if (contents.some(({ role, parts }) => parts.some((each) => !belongsTo(role, each)))) return "a part in a turn of the other side";
  return toolConfig && findConfigViolation(toolConfig, tools ?? []);
}

/** Results must follow their calls, in the same number. From the third generation on, the first call of each step must be signed. */
export function findTurnViolation({ contents }: GeminiBody, needsSignatures: boolean): string | undefined {
  for (const [at, { parts }] of contents.entries()) {
    const results = parts.filter(({ functionResponse }) => functionResponse).length;
    const calls = (contents[at - 1]?.parts ?? []).filter(({ functionCall }) => functionCall).length;
    if (results !== calls) return `${results} function response parts for ${calls} function call parts`;
  }
  const question = contents.findLastIndex(({ role, parts }) => role === "user" && parts.some((each) => !each.functionResponse));
  const firstCalls = contents.slice(question + 1).flatMap(({ parts }) => parts.find(({ functionCall }) => functionCall) ?? []);
  const isUnsigned = needsSignatures && firstCalls.some(({ thoughtSignature }) => thoughtSignature === undefined);
  return isUnsigned ? "Function call is missing a thought_signature in functionCall parts." : undefined;
}

function belongsTo(role: string, { functionCall, functionResponse, inlineData, fileData }: GeminiPart): boolean {
  return role === "user" ? !functionCall : !functionResponse && !inlineData && !fileData;
}

function findConfigViolation(
  { functionCallingConfig: { mode, allowedFunctionNames } }: NonNullable<GeminiBody["toolConfig"]>,
  tools: NonNullable<GeminiBody["tools"]>,
): string | undefined {
  const declared = tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name));
  if (declared.length === 0) return "a function calling config without functions";
  if (allowedFunctionNames && mode !== "ANY" && mode !== "VALIDATED") return "names of functions with a different mode than ANY";
  return allowedFunctionNames?.some((name) => !declared.includes(name)) ? "a function that is not declared" : undefined;
}
