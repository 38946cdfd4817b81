import { isObject, type Path } from "../../lib/schema/schema.ts";
import { argumentsIn } from "../streams/call-arguments.ts";
import { callIdIn, toolUsesIn, type FunctionIds } from "../tool-calls.ts";
import { unsupportedParameter } from "../unsupported-parameter.ts";
import { textBlocks, toBlocks } from "./anthropic-parts.ts";
import type { Block } from "./block.ts";

type Json = Readonly<Record<string, unknown>>;

const LIMITS = { idChars: Infinity, nameChars: 128 };

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
    tool_use_id: callIdIn(message, path, functionIds, LIMITS),
    ...(parts.length > 0 && { content: text ?? parts.map(withoutCacheControl) }),
    ...(cacheControl !== undefined && { cache_control: cacheControl }),
  };
}

/** The blocks of each call: its thinking, then the call. */
function callsOf(message: Json, path: Path, functionIds: FunctionIds): Block[][] {
  const uses = toolUsesIn(message, path, functionIds, LIMITS);
  return uses.map(({ id, name, args, extra }) => [...thinkingOf(extra), { type: "tool_use", id, name, input: argumentsIn(args) }]);
}

/** The signed thinking in a call's `extra_content`, which the API requires back unchanged. */
function thinkingOf(extra: unknown): Block[] {
  const own = isObject(extra) && isObject(extra["anthropic"]) ? extra["anthropic"]["thinking"] : undefined;
  return Array.isArray(own) ? own.filter(isThinking) : [];
}

export function isThinking(block: unknown): block is Block {
  if (!isObject(block)) return false;
  const { type, thinking, signature, data } = block;
  if (type === "redacted_thinking") return typeof data === "string";
  return type === "thinking" && typeof thinking === "string" && typeof signature === "string";
}

function withoutCacheControl({ cache_control: _cacheControl, ...block }: Block): object {
  return block;
}
