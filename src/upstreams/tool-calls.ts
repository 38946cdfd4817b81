import { isObject, type Path } from "../lib/schema/schema.ts";
import { usableToolCallId } from "../requests/tool-call-id.ts";
import { unsupportedParameter, wrongValue } from "./unsupported-parameter.ts";

type Json = Readonly<Record<string, unknown>>;

/** Generated ids by function name, for the legacy `function_call`, which has no ids: its results name the function. */
export type FunctionIds = Map<unknown, string>;

/** The limits of an API whose ids and names consist of letters, digits, _ and -. */
export interface ToolLimits {
  readonly idChars: number;
  readonly nameChars: number;
}

interface ToolUse {
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them. */
  readonly args: unknown;
  /** The `extra_content` of the call. */
  readonly extra: unknown;
}

/** The calls of an assistant message. */
export function toolUsesIn(message: Json, path: Path, functionIds: FunctionIds, limits: ToolLimits): ToolUse[] {
  const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
  const uses = calls.map((call: Json, at) => toolUse(call, [...path, "tool_calls", at], limits));
  const { function_call: functionCall } = message;
  if (uses.length > 0 || !isObject(functionCall)) return uses;
  const id = `function_call_${path.at(-1)}`;
  functionIds.set(functionCall["name"], id);
  return [{ id, ...functionIn(functionCall, [...path, "function_call"], limits), extra: undefined }];
}

function toolUse(call: Json, path: Path, limits: ToolLimits): ToolUse {
  if (!isObject(call["function"])) throw unsupportedParameter(path, "is not a function call, and this model supports no other calls");
  if (typeof call["id"] !== "string") throw wrongValue([...path, "id"], "is required");
  const id = usableToolCallId(call["id"], limits.idChars);
  return { id, ...functionIn(call["function"], [...path, "function"], limits), extra: call["extra_content"] };
}

/** Replaces the characters that the API rejects: the history may come from another provider. */
function functionIn({ name, arguments: args }: Json, path: Path, { nameChars }: ToolLimits): Pick<ToolUse, "name" | "args"> {
  if (typeof name !== "string" || name === "") throw wrongValue([...path, "name"], "is required");
  return { name: name.replaceAll(/[^\w-]/g, "_").slice(0, nameChars), args };
}

/** The id of the call whose result a message is. */
export function callIdIn(message: Json, path: Path, functionIds: FunctionIds, limits: ToolLimits): string {
  if (message["role"] === "function") return functionIds.get(message["name"]) ?? `function_call_${path.at(-1)}`;
  if (typeof message["tool_call_id"] !== "string") throw wrongValue([...path, "tool_call_id"], "is required");
  return usableToolCallId(message["tool_call_id"], limits.idChars);
}

/** The tools of `allowed_tools`, for APIs that have no equivalent: only these tools are declared. */
export function onlyAllowed<Tool extends { readonly name: string }>(tools: readonly Tool[], allowed: unknown): readonly Tool[] {
  const listed = isObject(allowed) && Array.isArray(allowed["tools"]) ? allowed["tools"] : [];
  const names = new Set(
    listed.map((each: unknown) => (isObject(each) && isObject(each["function"]) ? each["function"]["name"] : undefined)),
  );
  const offered = tools.filter(({ name }) => names.has(name));
  if (offered.length === 0) throw wrongValue(["tool_choice"], "names no tool of this request");
  return offered;
}

/** The name of the tool that `tool_choice` names. */
export function chosenTool(choice: Json, tools: readonly { readonly name: string }[]): string {
  if (choice["type"] !== "function") throw unsupportedParameter(["tool_choice"], "is not supported by this model");
  const name = isObject(choice["function"]) ? choice["function"]["name"] : undefined;
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw wrongValue(["tool_choice"], "names no tool of this request");
  return tool.name;
}
