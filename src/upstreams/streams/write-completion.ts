import { usageToWire, type Usage } from "../../money/usage.ts";
import type { ExtraContent, ToolCallHead } from "./chunk-writer.ts";
import type { Completion, UpstreamCall } from "../upstream.ts";

/** A JSON response of a dialect that translates. */
export interface TranslatedCompletion {
  readonly id: string;
  readonly model: string;
  readonly text: string | null;
  /** Why the model refuses to answer; undefined if it does not. */
  readonly refusal?: string | undefined;
  readonly reasoning: string;
  readonly toolCalls: readonly (ToolCallHead & { readonly arguments: string })[];
  readonly extraContent?: ExtraContent | undefined;
  readonly finishReason: string;
  /** Undefined if the upstream sent no token counts. */
  readonly usage: Usage | undefined;
}

/** The id of a response, for APIs that return none. */
export function newResponseId(): string {
  return `chatcmpl-${crypto.randomUUID()}`;
}

/** The id of a tool call, which its result will refer to; generated if the upstream sent none. */
export function toolIdOf(id: unknown, prefix: "toolu" | "tooluse" | "call", call: Pick<UpstreamCall, "report">): string {
  if (typeof id === "string" && id !== "") return id;
  call.report("tool_id_missing");
  return `${prefix}_${crypto.randomUUID()}`;
}

/** Writes a JSON response in the chat-completions format. */
export function writeCompletion(answered: TranslatedCompletion): Completion {
  const { id, model, text, refusal = null, reasoning, toolCalls, extraContent, finishReason, usage } = answered;
  const message = {
    role: "assistant",
    content: text,
    refusal,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(toWire) }),
    ...(extraContent && { extra_content: extraContent }),
  };
  const body = JSON.stringify({
    id,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    ...(usage && { usage: usageToWire(usage) }),
  });
  return { body, usage, uncountedBytes: usage ? 0 : bytesOf(answered) };
}

function toWire({ id, name, arguments: args, extraContent }: TranslatedCompletion["toolCalls"][number]): object {
  const call = { id, type: "function", function: { name, arguments: args } };
  return extraContent ? { ...call, extra_content: extraContent } : call;
}

function bytesOf({ text, refusal, reasoning, toolCalls }: TranslatedCompletion): number {
  const parts = [text ?? "", refusal ?? "", reasoning, ...toolCalls.flatMap((call) => [call.name, call.arguments])];
  return parts.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
}
