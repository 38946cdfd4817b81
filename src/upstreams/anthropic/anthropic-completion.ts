import { isObject } from "../../lib/schema/schema.ts";
import type { ExtraContent } from "../streams/chunk-writer.ts";
import { parseExact } from "../streams/exact-json.ts";
import { notUnderstood } from "../refusal.ts";
import type { Completion, UpstreamCall } from "../upstream.ts";
import { writeCompletion, type Answered } from "../streams/write-completion.ts";
import { errorInside } from "./anthropic-error.ts";
import { finishReasonOf } from "./stop-reason.ts";
import { isThinking } from "./anthropic-tool-use.ts";
import { AnthropicUsage } from "./anthropic-usage.ts";

type Json = Readonly<Record<string, unknown>>;

/** A whole answer in the Messages format, as the caller gets it. */
export function toCompletion(text: string, call: UpstreamCall): Completion {
  const message = parseMessage(text);
  const counts = new AnthropicUsage();
  if (!counts.take(message["usage"])) call.report("usage_missing");
  const said = gather(message["content"] as unknown[], call);
  const hasToolCalls = said.toolCalls.length > 0;
  return writeCompletion({
    id: idOf(message, call),
    model: call.chat.model,
    text: said.text === "" && hasToolCalls ? null : said.text,
    reasoning: said.reasoning,
    toolCalls: said.toolCalls,
    finishReason: finishReasonOf(message["stop_reason"], hasToolCalls, call),
    usage: counts.usage,
  });
}

/** The answer's own id. */
export function idOf({ id }: Json, call: Pick<UpstreamCall, "report">): string {
  if (typeof id === "string" && id !== "") return id;
  call.report("id_missing");
  return `msg_${crypto.randomUUID()}`;
}

/** The id of a tool call, by which its result will name it. */
export function toolIdOf({ id }: Json, call: Pick<UpstreamCall, "report">): string {
  if (typeof id === "string" && id !== "") return id;
  call.report("tool_id_missing");
  return `toolu_${crypto.randomUUID()}`;
}

/** Where a tool call keeps the thinking that led to it. It is signed, and the API wants it back with the tool's result. */
export function keptThinking(blocks: readonly unknown[]): ExtraContent | undefined {
  return blocks.length > 0 ? { anthropic: { thinking: blocks } } : undefined;
}

interface Said {
  text: string;
  reasoning: string;
  readonly toolCalls: Answered["toolCalls"][number][];
}

/** Everything that was said. Blocks of other kinds are the provider's own tools at work, whose outcome is in the text. */
function gather(content: readonly unknown[], call: UpstreamCall): Said {
  const said: Said = { text: "", reasoning: "", toolCalls: [] };
  let thinking: unknown[] = [];
  for (const block of content) {
    const { type, text, name, input, thinking: thought } = isObject(block) ? block : {};
    if (type === "text" && typeof text === "string") said.text += text;
    else if (type === "tool_use" && typeof name === "string") {
      const id = toolIdOf(block as Json, call);
      said.toolCalls.push({ id, name, arguments: JSON.stringify(input ?? {}), extraContent: keptThinking(thinking) });
      thinking = [];
    } else if (type === "thinking" || type === "redacted_thinking") {
      if (isThinking(block)) thinking.push(block);
      if (typeof thought === "string") said.reasoning += thought;
    } else call.report("event_unexpected");
  }
  return said;
}

function parseMessage(text: string): Json {
  let message: unknown;
  try {
    message = parseExact(text);
  } catch {
    throw notUnderstood(`an answer of ${text.length} characters that is not JSON`);
  }
  if (!isObject(message)) throw notUnderstood("not an object");
  if (message["type"] === "error") throw errorInside(message["error"]);
  if (!Array.isArray(message["content"])) throw notUnderstood("no content");
  return message;
}
