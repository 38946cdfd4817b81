import type { Path } from "../../lib/schema/schema.ts";
import { toBlocks, withCacheControl } from "./anthropic-parts.ts";
import { assistantBlocks, toolResult, type FunctionIds } from "./anthropic-tool-use.ts";
import type { Block } from "./block.ts";

type Json = Readonly<Record<string, unknown>>;

/** What one side says until the other speaks. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: Block[];
}

export interface Conversation {
  readonly system: Block[];
  readonly turns: Turn[];
}

/** The API wants the user to speak first. Conversations that open with a greeting, or with instructions alone, begin with this. */
const OPENING: Turn = { role: "user", content: [{ type: "text", text: "Begin." }] };

/**
 * The messages as the Messages format has them: instructions apart, and the two sides in turns.
 *
 * Instructions from the middle of a conversation go to the others: there they keep their authority, which they would lose in the
 * user's mouth, and no older model takes them in between. Anthropic's own chat-completions endpoint does the same.
 */
export function toConversation(messages: readonly Json[]): Conversation {
  const system: Block[] = [];
  const turns: Turn[] = [];
  const functionIds: FunctionIds = new Map();
  for (const [at, message] of messages.entries()) {
    const blocks = withCacheControl(messageBlocks(message, ["messages", at], functionIds), message["cache_control"]);
    const { role } = message;
    if (role === "system" || role === "developer") system.push(...blocks);
    else addTo(turns, role === "assistant" ? "assistant" : "user", blocks);
  }
  return { system, turns: putInOrder(turns) };
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

/** Messages of one side in a row are one turn, so that the results of parallel calls come together, as the API wants them. */
function addTo(turns: Turn[], role: Turn["role"], blocks: Block[]): void {
  const last = turns.at(-1);
  if (last?.role === role) last.content.push(...blocks);
  else if (blocks.length > 0) turns.push({ role, content: blocks });
}

function putInOrder(turns: readonly Turn[]): Turn[] {
  const opened = turns[0]?.role === "user" ? turns : [OPENING, ...turns];
  return opened.map((turn, at) => {
    if (turn.role === "user") return { ...turn, content: resultsFirst(turn.content) };
    return at === opened.length - 1 ? { ...turn, content: withoutTrailingSpace(turn.content) } : turn;
  });
}

/** The results of tools must directly follow their calls. */
function resultsFirst(content: Block[]): Block[] {
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

export function isResult({ type }: Block): boolean {
  return type === "tool_result";
}

/** An assistant's last words are the beginning of the answer, and the API refuses them with space at the end. */
function withoutTrailingSpace(content: Block[]): Block[] {
  const last = content.at(-1);
  const text = last?.["text"];
  return last && typeof text === "string" ? [...content.slice(0, -1), { ...last, text: text.trimEnd() }] : content;
}
