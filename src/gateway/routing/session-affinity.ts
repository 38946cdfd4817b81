import type { ChatRequest } from "../../requests/chat-request.ts";
import { isObject } from "../../lib/schema/schema.ts";

/** Of each message. The rest hardly ever distinguishes two conversations, and images are long. */
const HASHED_CHARS = 2_000;

/**
 * Identifies the session of a request within its account: by the client's `prompt_cache_key`, or by the beginning of the conversation, up to
 * the first user message. Providers look up a cached prompt by its prefix, and each has its own cache.
 */
export function sessionOf({ body, messages }: ChatRequest, accountId: string): bigint {
  const { prompt_cache_key: name } = body;
  const account = Bun.hash.wyhash(accountId);
  if (typeof name === "string") return Bun.hash.wyhash(name, account);
  const firstUserMessage = messages.findIndex(({ role }) => role === "user");
  const beginning = firstUserMessage < 0 ? messages : messages.slice(0, firstUserMessage + 1);
  return beginning.reduce((hash, { role, content }) => Bun.hash.wyhash(`${String(role)}:${hashedText(content)}`, hash), account);
}

function hashedText(content: unknown): string {
  if (typeof content === "string") return content.slice(0, HASHED_CHARS);
  if (!Array.isArray(content)) return "";
  const parts = content.map((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""));
  return parts.join("\n").slice(0, HASHED_CHARS);
}

/**
 * The affinity of a session to one of several targets: weighted rendezvous hashing. A session stays with its target as long as that is
 * available, and the removal of a target moves only its own sessions.
 */
export function affinity(session: bigint, target: string, weight: number): number {
  const uniform = (Number(Bun.hash.wyhash(target, session) >> 11n) + 0.5) / 2 ** 53;
  return weight / -Math.log(uniform);
}
