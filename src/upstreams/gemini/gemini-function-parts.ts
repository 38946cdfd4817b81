import type { JsonBudget } from "../../lib/json/json-budget.ts";
import { isObject, type Path } from "../../lib/schema/schema.ts";
import { argumentsIn, resultIn } from "../streams/call-arguments.ts";
import { wrongValue } from "../unsupported-parameter.ts";
import type { Part } from "./gemini-parts.ts";

/** Translates a tool call in the history. */
export function toFunctionCall(call: unknown, path: Path): Part & Required<Pick<Part, "functionCall">> {
  const { id, function: fn, custom, extra_content: extra } = isObject(call) ? call : {};
  const named = isObject(fn) ? fn : isObject(custom) ? custom : {};
  const { name } = named;
  if (typeof name !== "string" || name === "") throw wrongValue([...path, "function", "name"], "must be the name of a function");
  const signature = signatureIn(extra);
  return {
    functionCall: { ...(isText(id) && { id }), name, args: argumentsIn(named["arguments"] ?? named["input"]) },
    ...(signature !== undefined && { thoughtSignature: signature }),
  };
}

/** Translates a tool result. The API accepts objects only, so any other value is wrapped as `{ result }`. */
export function toFunctionResponse(id: unknown, name: string, text: string, budget: JsonBudget): Part {
  return { functionResponse: { ...(isText(id) && { id }), name, response: resultIn(text, budget) ?? { result: text } } };
}

/** The thought signature of a part, in the field where Google's own chat-completions endpoint puts it. */
export function signatureIn(extraContent: unknown): string | undefined {
  const google = isObject(extraContent) ? extraContent["google"] : undefined;
  const signature = isObject(google) ? google["thought_signature"] : undefined;
  return isText(signature) ? signature : undefined;
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
