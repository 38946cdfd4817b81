import { isObject } from "../../lib/schema/schema.ts";
import { ContentBudget } from "./content-budget.ts";
import { partsOf } from "./message-parts.ts";

/** The limit for the prompt and for the response each. Collectors accept requests of a few megabytes. */
export const MAX_CONTENT_CHARS = 64 * 1024;

/** Messages as JSON, in the structure of the GenAI conventions. */
export interface ContentAttribute {
  readonly json: string;
  readonly isCut: boolean;
}

/** `gen_ai.input.messages` */
export function inputMessages(messages: readonly Record<string, unknown>[]): ContentAttribute {
  const budget = new ContentBudget(MAX_CONTENT_CHARS);
  const encoded = [];
  for (const message of messages) {
    if (!budget.takeOne()) break;
    encoded.push({ role: budget.take(String(message["role"])), parts: partsOf(message, budget) });
  }
  return { json: JSON.stringify(encoded), isCut: budget.isCut };
}

/** `gen_ai.output.messages`, from the choices of a response. */
export function outputMessages(choices: readonly unknown[]): ContentAttribute {
  const budget = new ContentBudget(MAX_CONTENT_CHARS);
  const encoded = [];
  for (const choice of choices) {
    if (!isObject(choice) || !isObject(choice["message"]) || !budget.takeOne()) continue;
    const finished = choice["finish_reason"];
    const reason = finished === "tool_calls" ? "tool_call" : typeof finished === "string" ? budget.take(finished) : "error";
    encoded.push({ role: "assistant", parts: partsOf(choice["message"], budget), finish_reason: reason });
  }
  return { json: JSON.stringify(encoded), isCut: budget.isCut };
}
