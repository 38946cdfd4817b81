import type { ChatRequest } from "../vocabulary/chat-request.ts";

/** Beyond it two beginnings are hardly ever the same by chance. */
const ENOUGH_CHARS = 2_000;

/**
 * What tells one conversation of an account from another, as it goes on: the name that the caller gives its prompt cache, or how it
 * began, up to the first words of the user. Providers find a cached prompt by its beginning, and each of them has only its own.
 */
export function conversationOf({ body, messages }: ChatRequest, accountId: string): bigint {
  const { prompt_cache_key: name } = body;
  const beginning = typeof name === "string" ? name : beginningOf(messages);
  return Bun.hash.wyhash(`${accountId}\n${beginning}`);
}

function beginningOf(messages: ChatRequest["messages"]): string {
  const firstOfUser = messages.findIndex(({ role }) => role === "user");
  let text = "";
  for (const { role, content } of messages.slice(0, firstOfUser + 1)) {
    text += `${String(role)}:${typeof content === "string" ? content.slice(0, ENOUGH_CHARS) : JSON.stringify(content)}\n`;
    if (text.length > ENOUGH_CHARS) break;
  }
  return text;
}

/**
 * How much a conversation is drawn to one of several places: weighted rendezvous hashing, so that it goes to the same one as long as
 * that is there, and one that leaves takes nobody else's conversations along.
 */
export function attraction(conversation: bigint, place: string, weight: number): number {
  const uniform = (Number(Bun.hash.wyhash(place, conversation) >> 11n) + 0.5) / 2 ** 53;
  return weight / -Math.log(uniform);
}
