import { chunkSchema, uncountedCompletionSchema } from "../../requests/chat-completion.ts";
import { findViolation, formatPath, isObject, type Schema } from "../../lib/schema/schema.ts";
import type { Usage } from "../../money/usage.ts";

/** An answer as a caller would hear it, however it came. */
export interface Heard {
  readonly text: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finishReason: string | undefined;
  /** How many pieces it came in. */
  readonly pieces: number;
  readonly usage: Usage | undefined;
  /** What some client would stumble over, in words. */
  readonly flaw: string | undefined;
}

interface Said {
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly index?: number; readonly function?: Readonly<Record<string, unknown>> }[];
}

export function hearCompletion(body: string, usage: Usage | undefined): Heard {
  const completion: unknown = JSON.parse(body);
  return { ...hear([completion], "message"), usage, flaw: flawIn(completion, uncountedCompletionSchema) };
}

export function hearChunks(texts: readonly string[], usage: Usage | undefined): Heard {
  const chunks = texts.map((text): unknown => JSON.parse(text));
  return { ...hear(chunks, "delta"), usage, flaw: chunks.map((chunk) => flawIn(chunk, chunkSchema)).find((flaw) => flaw !== undefined) };
}

/** Puts the first choice together. */
function hear(answers: readonly unknown[], part: "message" | "delta"): Pick<Heard, "text" | "toolCalls" | "finishReason" | "pieces"> {
  let text = "";
  let finishReason: string | undefined;
  const toolCalls: { name: string; arguments: string }[] = [];
  for (const choice of answers.flatMap(firstChoices)) {
    const said = (choice[part] ?? {}) as Said;
    text += textIn(said.content);
    said.tool_calls?.forEach((call, at) => {
      const heard = (toolCalls[call.index ?? at] ??= { name: "", arguments: "" });
      heard.name += textIn(call.function?.["name"]);
      heard.arguments += textIn(call.function?.["arguments"]);
    });
    finishReason ??= textIn(choice["finish_reason"]) || undefined;
  }
  return { text, toolCalls, finishReason, pieces: answers.length };
}

function firstChoices(answer: unknown): Record<string, unknown>[] {
  const choices = isObject(answer) && Array.isArray(answer["choices"]) ? answer["choices"] : [];
  return choices.filter((choice) => isObject(choice) && choice["index"] === 0);
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function flawIn(answer: unknown, schema: Schema): string | undefined {
  const violation = findViolation(schema, answer);
  return violation && `${formatPath(violation.path) || "the answer"} ${violation.message}`;
}
