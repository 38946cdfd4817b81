import { isObject } from "../../lib/schema/schema.ts";
import { ContentBudget } from "./content-budget.ts";
import { partsOf } from "./message-parts.ts";

/** For what was asked, and for what was answered. Collectors take requests of a few megabytes. */
export const MAX_CONTENT_CHARS = 64 * 1024;

/** What was said, as JSON text in the conventions' structure. */
export interface ToldMessages {
  readonly json: string;
  readonly isCut: boolean;
}

/** `gen_ai.input.messages` */
export function tellInput(messages: readonly Record<string, unknown>[]): ToldMessages {
  const budget = new ContentBudget(MAX_CONTENT_CHARS);
  const told = [];
  for (const message of messages) {
    if (!budget.takeOne()) break;
    told.push({ role: budget.take(String(message["role"])), parts: partsOf(message, budget) });
  }
  return { json: JSON.stringify(told), isCut: budget.isCut };
}

/** `gen_ai.output.messages`, of the choices of an answer. */
export function tellOutput(choices: readonly unknown[]): ToldMessages {
  const budget = new ContentBudget(MAX_CONTENT_CHARS);
  const told = [];
  for (const choice of choices) {
    if (!isObject(choice) || !isObject(choice["message"]) || !budget.takeOne()) continue;
    const finished = choice["finish_reason"];
    const reason = finished === "tool_calls" ? "tool_call" : typeof finished === "string" ? budget.take(finished) : "error";
    told.push({ role: "assistant", parts: partsOf(choice["message"], budget), finish_reason: reason });
  }
  return { json: JSON.stringify(told), isCut: budget.isCut };
}
