import { isObject } from "../../lib/schema/schema.ts";
import type { ExtraContent } from "../streams/chunk-writer.ts";
import { parseExact } from "../../lib/json/exact-json.ts";
import { unparsableResponse, parseAnswer } from "../refusal.ts";
import type { Completion, UpstreamCall } from "../upstream.ts";
import { type TranslatedCompletion, toolIdOf, writeCompletion } from "../streams/write-completion.ts";
import { errorInside } from "./anthropic-error.ts";
import { finishReasonOf } from "./stop-reason.ts";
import { isThinking } from "./anthropic-tool-use.ts";
import { AnthropicUsage } from "./anthropic-usage.ts";

type Json = Readonly<Record<string, unknown>>;

/** Translates a complete Messages response into a chat completion. */
export function toCompletion(text: string, call: UpstreamCall): Completion {
  const message = parseMessage(text);
  const counts = new AnthropicUsage(call.report);
  if (!counts.take(message["usage"])) call.report("usage_missing");
  const output = readContent(message["content"] as unknown[], call);
  const hasToolCalls = output.toolCalls.length > 0;
  return writeCompletion({
    id: idOf(message, call),
    model: call.model,
    text: output.text === "" && hasToolCalls ? null : output.text,
    reasoning: output.reasoning,
    toolCalls: output.toolCalls,
    finishReason: finishReasonOf(message["stop_reason"], hasToolCalls, call),
    usage: counts.usage,
  });
}

/** The id of the response; generated if the upstream sent none. */
export function idOf({ id }: Json, call: Pick<UpstreamCall, "report">): string {
  if (typeof id === "string" && id !== "") return id;
  call.report("id_missing");
  return `msg_${crypto.randomUUID()}`;
}

/** The `extra_content` of a tool call: the signed thinking blocks before it, which the API requires back with the tool's result. */
export function thinkingContent(blocks: readonly unknown[]): ExtraContent | undefined {
  return blocks.length > 0 ? { anthropic: { thinking: blocks } } : undefined;
}

interface Output {
  text: string;
  reasoning: string;
  readonly toolCalls: TranslatedCompletion["toolCalls"][number][];
}

/** Collects the output of all blocks, except blocks of server-side tools, whose results are in the text. */
function readContent(content: readonly unknown[], call: UpstreamCall): Output {
  const output: Output = { text: "", reasoning: "", toolCalls: [] };
  let thinking: unknown[] = [];
  for (const block of content) {
    const { type, text, name, input, thinking: thought } = isObject(block) ? block : {};
    if (type === "text" && typeof text === "string") output.text += text;
    else if (type === "tool_use" && typeof name === "string") {
      const id = toolIdOf((block as Json)["id"], "toolu", call);
      output.toolCalls.push({ id, name, arguments: JSON.stringify(input ?? {}), extraContent: thinkingContent(thinking) });
      thinking = [];
    } else if (type === "thinking" || type === "redacted_thinking") {
      if (isThinking(block)) thinking.push(block);
      if (typeof thought === "string") output.reasoning += thought;
    } else call.report("event_unexpected");
  }
  return output;
}

function parseMessage(text: string): Json {
  const message = parseAnswer(text, parseExact);
  if (!isObject(message)) throw unparsableResponse("not an object");
  if (message["type"] === "error") throw errorInside(message["error"]);
  if (!Array.isArray(message["content"])) throw unparsableResponse("no content");
  return message;
}
