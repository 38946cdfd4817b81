import { toThinking as thinkingFor, type Thinking, type ThinkingContext } from "../claude/claude-thinking.ts";
import { isThinking } from "./anthropic-tool-use.ts";
import { isResult, type Turn } from "./anthropic-turns.ts";

/** The same with the conversation in its place. */
export type TurnsContext = Omit<ThinkingContext, "isPrefilled" | "isThinkingMissing"> & { readonly turns: readonly Turn[] };

/** The fields of a request about thinking, for this conversation. */
export function toThinking(body: Readonly<Record<string, unknown>>, { turns, ...rest }: TurnsContext): Thinking {
  const isPrefilled = turns.at(-1)?.role === "assistant";
  return thinkingFor(body, { ...rest, isPrefilled, isThinkingMissing: isThinkingMissing(turns) });
}

/** Whether the turn that opened the current tool calls lacks its thinking. */
function isThinkingMissing(turns: readonly Turn[]): boolean {
  let opening: Turn | undefined;
  for (let at = turns.length - 1; at > 0 && turns[at]!.content.some(isResult); at -= 2) opening = turns[at - 1];
  return opening !== undefined && !isThinking(opening.content[0]);
}
