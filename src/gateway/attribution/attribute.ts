import type { Exchange } from "../../http/endpoint.ts";
import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";
import { spanOfOmitted } from "../../lib/json/omitted-text.ts";
import { headerText } from "../../lib/text/byte-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { Attribution, Tags } from "../../money/attribution.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { ClientIdentities } from "../../requests/client-identities.ts";
import type { Gateway } from "../gateway.ts";
import { storedIdentity } from "../../access/stored-identity.ts";
import { inOrder, listedTags, readTags, refuseTooMany, tagValue } from "./tags.ts";

/**
 * Whom a request is attributed to: the end user in `user` or `safety_identifier`, the tags of a header and of `metadata`, and the conversation.
 * Undefined where it has none of them, or the account stores none. Throws a 400 for tags that cannot be read.
 */
export function attribute(caller: KeyRecord, chat: ChatRequest, exchange: Exchange, gateway: Gateway): Attribution | undefined {
  const account = gateway.accountOf(caller);
  const { identities, metadataTags, conversationKey } = account.attribution;
  const { headers } = exchange.request;
  const metadata = metadataTags.length > 0 || conversationKey !== null ? metadataOf(chat) : undefined;
  const named = identitiesIn(chat, headers, conversationKey === null ? undefined : metadata?.[conversationKey]);
  exchange.notes.identities = named;
  if (identities === "off") return undefined;
  const user = stored(named?.user, "user", account, gateway);
  const conversation = stored(named?.conversation, "conversation", account, gateway);
  const header = headers.get("x-tollgate-tags");
  const tags = header === null && metadata === undefined ? undefined : tagsOf(header, metadata, metadataTags);
  if (user === undefined && tags === undefined && conversation === undefined) return undefined;
  return { user, tags, conversation };
}

/** As parsed, but for a value that is longer than an outline has it. */
function metadataOf(chat: ChatRequest): Readonly<Record<string, unknown>> | undefined {
  const { metadata } = chat.outline;
  if (!isObject(metadata)) return undefined;
  const isOutlined = Object.values(metadata).some((value) => typeof value === "string" && spanOfOmitted(value));
  return isOutlined ? (chat.body["metadata"] as Record<string, unknown>) : metadata;
}

/** Undefined for most requests. */
function identitiesIn({ outline }: ChatRequest, headers: HeaderFields, thread: unknown): ClientIdentities | undefined {
  const { user, safety_identifier: safetyIdentifier } = outline;
  const conversation = headers.get("x-conversation-id");
  const session = headers.get("x-session-id");
  if (user == null && safetyIdentifier == null && conversation === null && session === null && thread === undefined) return undefined;
  const users = [user, safetyIdentifier].filter(isName);
  const conversations = [conversation && headerText(conversation), session && headerText(session), thread].filter(isName);
  return users.length + conversations.length === 0 ? undefined : new ClientIdentities(users, conversations);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function stored(name: string | undefined, kind: "user" | "conversation", account: Account, gateway: Gateway): string | undefined {
  return name === undefined ? undefined : storedIdentity(name, kind, account, gateway.hashSecret);
}

/** The header wins over `metadata`, which a framework may have set. */
function tagsOf(
  header: string | null,
  metadata: Readonly<Record<string, unknown>> | undefined,
  names: readonly string[],
): Tags | undefined {
  const sent = header === null ? {} : readTags(header);
  if (metadata === undefined) return sent;
  const tags: Record<string, string> = { ...sent };
  for (const name of names) {
    const value = tagValue(metadata[name]);
    if (value !== undefined && !Object.hasOwn(tags, name)) tags[name] = value;
  }
  for (const [name, value] of listedTags(metadata["tags"])) {
    if (names.includes(name) && !Object.hasOwn(tags, name)) tags[name] = value;
  }
  refuseTooMany(Object.keys(tags).length, "and metadata together have");
  return Object.keys(tags).length === 0 ? undefined : inOrder(tags);
}
