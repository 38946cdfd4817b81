import type { Path } from "../../lib/schema/schema.ts";
import { refuseLargeArguments } from "../streams/call-arguments.ts";
import { toBlocks, withCacheControl } from "./anthropic-parts.ts";
import { assistantBlocks, toolResult } from "./anthropic-tool-use.ts";
import type { Block } from "./block.ts";
import type { FunctionIds } from "../tool-calls.ts";

type Json = Readonly<Record<string, unknown>>;

/** Consecutive messages of one role. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: Block[];
}

interface Conversation {
  readonly system: Block[];
  readonly turns: Turn[];
}

/** The turn that is added to conversations that start with the assistant or have only instructions: the API requires a user turn first. */
const OPENING: Turn = { role: "user", content: [{ type: "text", text: "Begin." }] };

/**
 * Translates messages into the Messages format: a separate system prompt, and alternating turns.
 *
 * System messages from the middle of a conversation move to the system prompt: as user messages they would lose their authority, and
 * older models do not accept them in between. Anthropic's own chat-completions endpoint does the same.
 */
export function toConversation(messages: readonly Json[]): Conversation {
  refuseLargeArguments(messages);
  const system: Block[] = [];
  const turns: Turn[] = [];
  const functionIds: FunctionIds = new Map();
  for (const [at, message] of messages.entries()) {
    const blocks = withCacheControl(messageBlocks(message, ["messages", at], functionIds), message["cache_control"]);
    const { role } = message;
    if (role === "system" || role === "developer") system.push(...blocks);
    else addTo(turns, role === "assistant" ? "assistant" : "user", blocks);
  }
  return { system, turns: orderTurns(turns) };
}

function messageBlocks(message: Json, path: Path, functionIds: FunctionIds): Block[] {
  switch (message["role"]) {
    case "assistant":
      return assistantBlocks(message, path, functionIds);
    case "tool":
    case "function":
      return [toolResult(message, path, functionIds)];
    default:
      return toBlocks(message["content"], [...path, "content"], message["role"] === "user");
  }
}

/** Merges consecutive messages of one role, because the API requires the results of parallel calls in one turn. */
function addTo(turns: Turn[], role: Turn["role"], blocks: Block[]): void {
  const last = turns.at(-1);
  if (last?.role === role) last.content.push(...blocks);
  else if (blocks.length > 0) turns.push({ role, content: blocks });
}

function orderTurns(turns: readonly Turn[]): Turn[] {
  const opened = turns[0]?.role === "user" ? turns : [OPENING, ...turns];
  return opened.map((turn, at) => {
    if (turn.role === "user") return { ...turn, content: resultsFirst(turn.content) };
    return at === opened.length - 1 ? { ...turn, content: withoutTrailingSpace(turn.content) } : turn;
  });
}

/** The API requires tool results directly after their calls. */
function resultsFirst(content: Block[]): Block[] {
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

export function isResult({ type }: Block): boolean {
  return type === "tool_result";
}

/** The API rejects a prefill (a final assistant turn) that ends in whitespace. */
function withoutTrailingSpace(content: Block[]): Block[] {
  const last = content.at(-1);
  const text = last?.["text"];
  return last && typeof text === "string" ? [...content.slice(0, -1), { ...last, text: text.trimEnd() }] : content;
}
