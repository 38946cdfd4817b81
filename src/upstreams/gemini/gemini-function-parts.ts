import { topLevelFields } from "../../vocabulary/json-text.ts";
import { isObject, type Path } from "../../vocabulary/schema.ts";
import { wrongValue } from "../cannot-say.ts";
import type { Part } from "./gemini-parts.ts";

/** Deeper arguments are handed on as text: what nests without end overflows the stack of whoever writes it out again. */
const MAX_DEPTH = 64;

type Json = Readonly<Record<string, unknown>>;

/** A call in the history, as the model made it. */
export function toFunctionCall(call: unknown, path: Path): Part & Required<Pick<Part, "functionCall">> {
  const { id, function: fn, custom, extra_content: extra } = isObject(call) ? call : {};
  const named = isObject(fn) ? fn : isObject(custom) ? custom : {};
  const { name } = named;
  if (typeof name !== "string" || name === "") throw wrongValue([...path, "function", "name"], "must be the name of a function");
  const signature = signatureIn(extra);
  return {
    functionCall: { ...(isText(id) && { id }), name, args: toArguments(named["arguments"] ?? named["input"]) },
    ...(signature !== undefined && { thoughtSignature: signature }),
  };
}

/** A result. An object is one for the model as well; anything else gets a name, because only objects are taken. */
export function toFunctionResponse(id: unknown, name: string, text: string): Part {
  return { functionResponse: { ...(isText(id) && { id }), name, response: parseObject(text) ?? { result: text } } };
}

/** What a part of an earlier answer was signed with, where Google's own chat-completions endpoint keeps it. */
export function signatureIn(extraContent: unknown): string | undefined {
  const google = isObject(extraContent) ? extraContent["google"] : undefined;
  const signature = isObject(google) ? google["thought_signature"] : undefined;
  return isText(signature) ? signature : undefined;
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** A model can write arguments that are no JSON. The history has to be told all the same. */
function toArguments(text: unknown): Json {
  if (!isText(text)) return {};
  return parseObject(text) ?? { arguments: text };
}

function parseObject(text: string): Json | undefined {
  try {
    if (!Array.isArray(topLevelFields(text, { maxDepth: MAX_DEPTH, maxValues: Number.POSITIVE_INFINITY }))) return undefined;
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
