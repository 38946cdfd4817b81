import { isObject, type Path } from "../../lib/schema/schema.ts";
import { argumentsIn } from "../streams/call-arguments.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import { textBlocks, toBlocks } from "./anthropic-parts.ts";
import type { Block } from "./block.ts";

type Json = Readonly<Record<string, unknown>>;

/** Generated ids by function name, for the legacy `function_call`, which has no ids: its results name the function. */
export type FunctionIds = Map<unknown, string>;

/**
 * The blocks of an assistant message. The thinking of a call goes before the call, and the thinking of the first call before everything
 * else: the API requires a turn with thinking to start with it.
 */
export function assistantBlocks(message: Json, path: Path, functionIds: FunctionIds): Block[] {
  const text = [...toBlocks(message["content"], [...path, "content"], false), ...textBlocks(message["refusal"])];
  const [first = [], ...others] = callsOf(message, path, functionIds);
  if (text.length + first.length === 0 && message["audio"] != null) {
    throw unsupportedParameter([...path, "audio"], "is not supported by this model");
  }
  const use = first.at(-1);
  return use ? [...first.slice(0, -1), ...text, use, ...others.flat()] : text;
}

/** The `tool_result` block of a tool message. */
export function toolResult(message: Json, path: Path, functionIds: FunctionIds): Block {
  const parts = toBlocks(message["content"], [...path, "content"], true);
  const text = typeof message["content"] === "string" ? parts[0]?.["text"] : undefined;
  const cacheControl = parts.find((part) => part["cache_control"])?.["cache_control"];
  return {
    type: "tool_result",
    tool_use_id: resultId(message, path, functionIds),
    ...(parts.length > 0 && { content: text ?? parts.map(withoutCacheControl) }),
    ...(cacheControl !== undefined && { cache_control: cacheControl }),
  };
}

/** The blocks of each call: its thinking, then the call. */
function callsOf(message: Json, path: Path, functionIds: FunctionIds): Block[][] {
  const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
  const uses = calls.map((call: Json, at) => [...thinkingOf(call), toolUse(call, [...path, "tool_calls", at])]);
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

function useBlock(id: string, { name, arguments: args }: Json, path: Path): Block {
  if (typeof name !== "string" || name === "") throw wrongValue([...path, "name"], "is required");
  return { type: "tool_use", id, name: usableName(name), input: argumentsIn(args) };
}

/** The signed thinking in a call's `extra_content`, which the API requires back unchanged. */
function thinkingOf({ extra_content: extra }: Json): Block[] {
  const own = isObject(extra) && isObject(extra["anthropic"]) ? extra["anthropic"]["thinking"] : undefined;
  return Array.isArray(own) ? own.filter(isThinking) : [];
}

export function isThinking(block: unknown): block is Block {
  if (!isObject(block)) return false;
  const { type, thinking, signature, data } = block;
  if (type === "redacted_thinking") return typeof data === "string";
  return type === "thinking" && typeof thinking === "string" && typeof signature === "string";
}

function resultId(message: Json, path: Path, functionIds: FunctionIds): string {
  if (message["role"] === "function") return functionIds.get(message["name"]) ?? `function_call_${path.at(-1)}`;
  if (typeof message["tool_call_id"] !== "string") throw wrongValue([...path, "tool_call_id"], "is required");
  return usableId(message["tool_call_id"]);
}

/**
 * Ids of other providers may contain dots and colons, which the API rejects. The replacement is deterministic, so calls and results match.
 */
function usableId(id: string): string {
  return /^[\w-]+$/.test(id) ? id : `${id.replaceAll(/[^\w-]/g, "_").slice(0, 40)}_${Bun.hash(id).toString(36)}`;
}

/** Replaces the characters that the API rejects: the history may come from another provider. */
function usableName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_").slice(0, 128);
}

function withoutCacheControl({ cache_control: _cacheControl, ...block }: Block): object {
  return block;
}
