import { isObject, type Path } from "../../lib/schema/schema.ts";
import { argumentsIn } from "../streams/call-arguments.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import type { DocumentNames } from "./bedrock-media.ts";
import { textParts, toParts } from "./bedrock-parts.ts";
import { reasoningIn } from "./bedrock-reasoning.ts";
import { uncachedPart, type Block, type Part } from "./block.ts";

type Json = Readonly<Record<string, unknown>>;

/** Generated ids by function name, for the legacy `function_call`, which has no ids: its results name the function. */
export type FunctionIds = Map<unknown, string>;

/** The API's limit on the ids and names of tools. */
const MAX_CHARS = 64;

/** The content of an empty result: the API rejects blank text, and may not accept a result without content. */
const NO_OUTPUT: Block = { text: "(no output)" };

/**
 * The parts of an assistant message. The reasoning of a call goes before the call, and the reasoning of the first call before everything
 * else: Claude requires a turn with reasoning to start with it.
 */
export function assistantParts(message: Json, path: Path, functionIds: FunctionIds): Part[] {
  const text = [...toParts(message["content"], [...path, "content"]), ...textParts(message["refusal"])];
  const [first = [], ...others] = callsOf(message, path, functionIds);
  if (text.length + first.length === 0 && message["audio"] != null) {
    throw unsupportedParameter([...path, "audio"], "is not supported by this model");
  }
  const use = first.at(-1);
  return use ? [...first.slice(0, -1).map(uncachedPart), ...text, uncachedPart(use), ...others.flat().map(uncachedPart)] : text;
}

/** The result of a tool message. A cache point is not allowed inside the result, and follows it. */
export function toolResult(message: Json, path: Path, functionIds: FunctionIds, names: DocumentNames): Part {
  const parts = toParts(message["content"], [...path, "content"], names);
  const content = parts.length > 0 ? parts.map(({ block }) => block) : [NO_OUTPUT];
  const toolUseId = resultId(message, path, functionIds);
  return { block: { toolResult: { toolUseId, content } }, isCached: parts.some(({ isCached }) => isCached) };
}

/** The blocks of each call: its reasoning, then the call. */
function callsOf(message: Json, path: Path, functionIds: FunctionIds): Block[][] {
  const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
  const uses = calls.map((call: Json, at) => [...reasoningIn(call["extra_content"]), toolUse(call, [...path, "tool_calls", at])]);
  const { function_call: functionCall } = message;
  if (uses.length > 0 || !isObject(functionCall)) return uses;
  const id = `function_call_${path.at(-1)}`;
  functionIds.set(functionCall["name"], id);
  return [[useBlock(id, functionCall, [...path, "function_call"])]];
}

function toolUse(call: Json, path: Path): Block {
  if (!isObject(call["function"])) throw unsupportedParameter(path, "is not a function call, and this model supports no other calls");
  if (typeof call["id"] !== "string") throw wrongValue([...path, "id"], "is required");
  return useBlock(usableId(call["id"]), call["function"], [...path, "function"]);
}

function useBlock(toolUseId: string, { name, arguments: args }: Json, path: Path): Block {
  if (typeof name !== "string" || name === "") throw wrongValue([...path, "name"], "is required");
  return { toolUse: { toolUseId, name: usableName(name), input: argumentsIn(args) } };
}

function resultId(message: Json, path: Path, functionIds: FunctionIds): string {
  if (message["role"] === "function") return functionIds.get(message["name"]) ?? `function_call_${path.at(-1)}`;
  if (typeof message["tool_call_id"] !== "string") throw wrongValue([...path, "tool_call_id"], "is required");
  return usableId(message["tool_call_id"]);
}

/**
 * Ids of other providers may be longer, or contain characters that the API rejects. The replacement is deterministic, so calls and results
 * match.
 */
function usableId(id: string): string {
  const isUsable = id.length <= MAX_CHARS && /^[\w-]+$/.test(id);
  return isUsable ? id : `${id.replaceAll(/[^\w-]/g, "_").slice(0, 40)}_${Bun.hash(id).toString(36)}`;
}

/** Replaces the characters that the API rejects: the history may come from another provider. */
function usableName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_").slice(0, MAX_CHARS);
}
