import { isObject } from "../../lib/schema/schema.ts";
import { unparsableResponse, parseAnswer } from "../refusal.ts";
import { parseExact } from "../../lib/json/exact-json.ts";
import { type TranslatedCompletion, newResponseId, toolIdOf, writeCompletion } from "../streams/write-completion.ts";
import type { Completion, UpstreamCall } from "../upstream.ts";
import { reasoningContent, signedReasoning } from "./bedrock-reasoning.ts";
import { finishReasonOf } from "./bedrock-stop-reason.ts";
import { readUsage } from "./bedrock-usage.ts";

/** Translates a complete response of `Converse` into a chat completion. */
export function readBedrockCompletion(text: string, call: UpstreamCall): Completion {
  const { content, stopReason, usage } = parseResponse(text);
  const output = readContent(content, call);
  const hasToolCalls = output.toolCalls.length > 0;
  return writeCompletion({
    id: newResponseId(),
    model: call.model,
    text: output.text === "" && hasToolCalls ? null : output.text,
    reasoning: output.reasoning,
    toolCalls: output.toolCalls,
    finishReason: finishReasonOf(stopReason, hasToolCalls, call),
    usage: readUsage(usage, call),
  });
}

interface Output {
  text: string;
  reasoning: string;
  readonly toolCalls: TranslatedCompletion["toolCalls"][number][];
}

/** Collects the output of all blocks. Images and citations have no field in the chat-completions format. */
function readContent(content: readonly unknown[], call: UpstreamCall): Output {
  const output: Output = { text: "", reasoning: "", toolCalls: [] };
  let reasoning: object[] = [];
  for (const block of content) {
    const { text, toolUse, reasoningContent: thought } = isObject(block) ? block : {};
    if (typeof text === "string") output.text += text;
    else if (isObject(toolUse) && typeof toolUse["name"] === "string") {
      const args = JSON.stringify(toolUse["input"] ?? {});
      const head = {
        id: toolIdOf(toolUse["toolUseId"], "tooluse", call),
        name: toolUse["name"],
        extraContent: reasoningContent(reasoning),
      };
      output.toolCalls.push({ ...head, arguments: args });
      reasoning = [];
    } else if (isObject(thought)) {
      reasoning.push(...[signedReasoning(thought)].filter((each) => each !== undefined));
      const { text: words } = isObject(thought["reasoningText"]) ? thought["reasoningText"] : {};
      if (typeof words === "string") output.reasoning += words;
    } else call.report("event_unexpected");
  }
  return output;
}

function parseResponse(text: string): { content: unknown[]; stopReason: unknown; usage: unknown } {
  const parsed = parseAnswer(text, parseExact);
  const { output, stopReason, usage } = isObject(parsed) ? parsed : {};
  const message = isObject(output) ? output["message"] : undefined;
  const content = isObject(message) ? message["content"] : undefined;
  if (!Array.isArray(content)) throw unparsableResponse("no content");
  return { content, stopReason, usage };
}
