import type { Path } from "../../lib/schema/schema.ts";
import { refuseLargeArguments } from "../streams/call-arguments.ts";
import { DocumentNames } from "./bedrock-media.ts";
import { toParts, withCacheControl } from "./bedrock-parts.ts";
import { isReasoning } from "./bedrock-reasoning.ts";
import { assistantParts, toolResult } from "./bedrock-tool-use.ts";
import { uncachedPart, type Block, type Part } from "./block.ts";
import type { FunctionIds } from "../tool-calls.ts";

type Json = Readonly<Record<string, unknown>>;

/** Consecutive messages of one role. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly parts: readonly Part[];
}

interface Conversation {
  readonly system: readonly Part[];
  readonly turns: readonly Turn[];
}

/** The turn that is added to conversations that start with the assistant or have only instructions: the API requires a user turn first. */
const OPENING: Turn = { role: "user", parts: [uncachedPart({ text: "Begin." })] };

/** The text that is added to a turn with a document but no text, which the API would reject. */
const WITH_DOCUMENTS = uncachedPart({ text: "See the document." });

/** Translates messages: a separate system prompt, from anywhere in the conversation, and alternating turns. */
export function toConversation(messages: readonly Json[]): Conversation {
  refuseLargeArguments(messages);
  const system: Part[] = [];
  const turns: { role: Turn["role"]; parts: Part[] }[] = [];
  const functionIds: FunctionIds = new Map();
  const names = new DocumentNames();
  for (const [at, message] of messages.entries()) {
    const parts = withCacheControl(messageParts(message, ["messages", at], functionIds, names), message["cache_control"]);
    const role = message["role"] === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (message["role"] === "system" || message["role"] === "developer") system.push(...parts);
    // The API requires the results of parallel calls in one turn.
    else if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) turns.push({ role, parts });
  }
  return { system, turns: orderTurns(turns) };
}

/**
 * Whether the client has lost the reasoning of the tool calls that it returns results for: the turn that opened them does not start with
 * reasoning.
 */
export function isReasoningMissing(turns: readonly Turn[]): boolean {
  let opening: Turn | undefined;
  for (let at = turns.length - 1; at > 0 && turns[at]!.parts.some(isResult); at -= 2) opening = turns[at - 1];
  return opening !== undefined && !isReasoning(opening.parts[0]!.block);
}

/** The same turns without reasoning, for a model that does not accept it in requests. */
export function withoutReasoning(turns: readonly Turn[]): readonly Turn[] {
  return turns.map(({ role, parts }) => ({ role, parts: parts.filter(({ block }) => !isReasoning(block)) }));
}

function messageParts(message: Json, path: Path, functionIds: FunctionIds, names: DocumentNames): Part[] {
  switch (message["role"]) {
    case "assistant":
      return assistantParts(message, path, functionIds);
    case "tool":
    case "function":
      return [toolResult(message, path, functionIds, names)];
    default:
      return toParts(message["content"], [...path, "content"], message["role"] === "user" ? names : undefined);
  }
}

function orderTurns(turns: readonly Turn[]): Turn[] {
  const opened = turns[0]?.role === "user" ? turns : [OPENING, ...turns];
  return opened.map(({ role, parts }, at) => {
    if (role === "user") return { role, parts: withTextForDocuments(resultsFirst(parts)) };
    return { role, parts: at === opened.length - 1 ? withoutTrailingSpace(parts) : parts };
  });
}

/** Tool results have to follow their calls directly. */
function resultsFirst(parts: readonly Part[]): Part[] {
  return [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))];
}

function isResult({ block }: Part): boolean {
  return block["toolResult"] !== undefined;
}

function withTextForDocuments(parts: readonly Part[]): readonly Part[] {
  const has = (kind: string): boolean => parts.some(({ block }) => block[kind] !== undefined);
  return has("document") && !has("text") ? [...parts, WITH_DOCUMENTS] : parts;
}

/** Claude rejects a prefill (a final assistant turn) that ends in whitespace. */
function withoutTrailingSpace(parts: readonly Part[]): readonly Part[] {
  const last = parts.at(-1);
  const text = last?.block["text"];
  return last && typeof text === "string"
    ? parts.with(parts.length - 1, { ...last, block: { text: text.trimEnd() } satisfies Block })
    : parts;
}
