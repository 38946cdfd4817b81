import type { ChatRequest } from "../../requests/chat-request.ts";
import { isObject } from "../../lib/schema/schema.ts";

/** Of each message: the rest hardly ever tells two apart, and pictures are long. */
const ENOUGH_CHARS = 2_000;

/**
 * What tells one conversation of an account from another, as it goes on: the name that the caller gives its prompt cache, or how it
 * began, up to the first words of the user. Providers find a cached prompt by its beginning, and each of them has only its own.
 */
export function conversationOf({ body, messages }: ChatRequest, accountId: string): bigint {
  const { prompt_cache_key: name } = body;
  const account = Bun.hash.wyhash(accountId);
  if (typeof name === "string") return Bun.hash.wyhash(name, account);
  const firstOfUser = messages.findIndex(({ role }) => role === "user");
  const beginning = firstOfUser < 0 ? messages : messages.slice(0, firstOfUser + 1);
  return beginning.reduce((hash, { role, content }) => Bun.hash.wyhash(`${String(role)}:${truncate(content)}`, hash), account);
}

function truncate(content: unknown): string {
  if (typeof content === "string") return content.slice(0, ENOUGH_CHARS);
  if (!Array.isArray(content)) return "";
  const parts = content.map((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""));
  return parts.join("\n").slice(0, ENOUGH_CHARS);
}

/**
 * How much a conversation is drawn to one of several places: weighted rendezvous hashing, so that it goes to the same one as long as
 * that is there, and one that leaves takes nobody else's conversations along.
 */
export function attraction(conversation: bigint, place: string, weight: number): number {
  const uniform = (Number(Bun.hash.wyhash(place, conversation) >> 11n) + 0.5) / 2 ** 53;
  return weight / -Math.log(uniform);
}
