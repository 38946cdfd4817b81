/** What OpenAI's Responses API rejects in the requests that the gateway writes. */

type Json = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** The first violation, with its place; undefined for a valid body. */
export function violationOfResponses({
  model,
  input,
  max_output_tokens: limit,
  tools,
  tool_choice: choice,
  text,
}: Json): string | undefined {
  if (!isText(model)) return "model is required";
  if (typeof input !== "string" && !Array.isArray(input)) return "input is neither a text nor a list";
  if (limit !== undefined && !(Number.isInteger(limit) && Number(limit) >= 16)) return "max_output_tokens: Expected a value >= 16";
  const items = Array.isArray(input) ? (input as readonly unknown[]) : [];
  const inItem = items.map((item, at) => isObject(item) && itemViolation(item, `input[${at}]`)).find(Boolean);
  return inItem || toolViolation(tools) || choiceViolation(choice) || formatViolation(text);
}

function itemViolation(item: Json, place: string): string | undefined {
  const { type = "message", role, content, name, arguments: args, output, summary, encrypted_content: encrypted } = item;
  switch (type) {
    case "message":
      if (!["user", "assistant", "system", "developer"].includes(String(role))) return `${place}.role is unknown`;
      return typeof content === "string" ? undefined : partsViolation(content, role, `${place}.content`);
    case "function_call":
      if (typeof name !== "string" || !/^[\w-]{1,128}$/.test(name)) return `${place}.name does not match the pattern`;
      return idViolation(item, place) ?? (typeof args === "string" ? undefined : `${place}.arguments is not a text`);
    case "function_call_output":
      return idViolation(item, place) ?? (typeof output === "string" ? undefined : partsViolation(output, "user", `${place}.output`));
    case "reasoning":
      if (!Array.isArray(summary)) return `${place} is missing the required field summary`;
      return isText(encrypted) ? undefined : `${place}: Items are not persisted when store is set to false`;
    default:
      return undefined;
  }
}

function idViolation({ call_id: id }: Json, place: string): string | undefined {
  return isText(id) && id.length <= 64 ? undefined : `${place}.call_id: Expected a string with maximum length 64`;
}

function partsViolation(parts: unknown, role: unknown, place: string): string | undefined {
  if (!Array.isArray(parts)) return `${place} is neither a text nor a list`;
  return parts.map((part: Json, at) => (isKnownPart(part, role) ? undefined : `${place}[${at}] is not valid here`)).find(Boolean);
}

function isKnownPart({ type, text, refusal, image_url: image, file_data: data, file_url: url, filename }: Json, role: unknown): boolean {
  if (role === "assistant") return type === "output_text" ? typeof text === "string" : type === "refusal" && typeof refusal === "string";
  if (type === "input_text") return typeof text === "string";
  if (role !== "user") return false;
  if (type === "input_image") return isText(image);
  return type === "input_file" && (isText(url) || (isText(data) && isText(filename)));
}

function toolViolation(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return "tools is not a list";
  const at = tools.findIndex(
    ({ type, name, parameters }: Json) => type === "function" && !(isText(name) && /^[\w-]{1,128}$/.test(name) && isObject(parameters)),
  );
  return at < 0 ? undefined : `tools[${at}] is not a function`;
}

function choiceViolation(choice: unknown): string | undefined {
  if (choice === undefined || ["auto", "none", "required"].includes(choice as string)) return undefined;
  if (!isObject(choice)) return "tool_choice is unknown";
  if (choice["type"] === "function") return isText(choice["name"]) ? undefined : "tool_choice.name is required";
  return undefined;
}

function formatViolation(text: unknown): string | undefined {
  const format = isObject(text) ? text["format"] : undefined;
  if (!isObject(format) || format["type"] !== "json_schema") return undefined;
  return isText(format["name"]) && isObject(format["schema"]) ? undefined : "text.format needs a name and a schema";
}

/** The API looks for the call of each result. */
export function unpairedResult(items: readonly Json[]): string | undefined {
  const called = new Set(items.filter(({ type }) => type === "function_call").map(({ call_id: id }) => id));
  const result = items.find(({ type, call_id: id }) => type === "function_call_output" && !called.has(id));
  return result && `No tool call found for function call output with call_id ${String(result["call_id"])}`;
}
