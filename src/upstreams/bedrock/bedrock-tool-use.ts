import type { Path } from "../../lib/schema/schema.ts";
import { argumentsIn } from "../streams/call-arguments.ts";
import { callIdIn, toolUsesIn, type FunctionIds } from "../tool-calls.ts";
import { unsupportedParameter } from "../unsupported-parameter.ts";
import type { DocumentNames } from "./bedrock-media.ts";
import { textParts, toParts } from "./bedrock-parts.ts";
import { reasoningIn } from "./bedrock-reasoning.ts";
import { uncachedPart, type Block, type Part } from "./block.ts";

type Json = Readonly<Record<string, unknown>>;

const LIMITS = { idChars: 64, nameChars: 64 };

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
  const toolUseId = callIdIn(message, path, functionIds, LIMITS);
  return { block: { toolResult: { toolUseId, content } }, cachePoint: parts.find(({ cachePoint }) => cachePoint)?.cachePoint };
}

/** The blocks of each call: its reasoning, then the call. */
function callsOf(message: Json, path: Path, functionIds: FunctionIds): Block[][] {
  const uses = toolUsesIn(message, path, functionIds, LIMITS);
  return uses.map(({ id, name, args, extra }) => [...reasoningIn(extra), { toolUse: { toolUseId: id, name, input: argumentsIn(args) } }]);
}
