import type { Exchange } from "../http/endpoint.ts";
import type { Account } from "../access/account.ts";
import type { KeyRecord } from "../access/api-key.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";
import { spanOfOmitted } from "../lib/json/omitted-text.ts";
import { headerText } from "../lib/text/byte-text.ts";
import { isObject } from "../lib/schema/schema.ts";
import type { Attribution, Tags } from "../money/attribution.ts";
import type { ModelRequest } from "./formats/caller-format.ts";
import { ClientIdentities } from "../requests/client-identities.ts";
import { attributionAt } from "../requests/request-notes.ts";
import type { Gateway } from "./gateway.ts";
import { storedIdentity, storedName } from "../access/stored-identity.ts";
import { MAX_TAG_VALUE, MAX_TAGS, TAG_NAME, TAG_NAME_IN_WORDS } from "../money/tag-names.ts";
import { ApiError } from "../requests/api-error.ts";

/**
 * The attribution of a request: the end user in `user` or `safety_identifier`, the tags of a header and of `metadata`, the conversation, and
 * the endpoint unless it is chat completions. Undefined if the request has none of these, or the account stores none of them. Throws a 400
 * for tags that cannot be read.
 */
export function attribute(caller: KeyRecord, modelRequest: ModelRequest, exchange: Exchange, gateway: Gateway): Attribution | undefined {
  const account = gateway.accountOf(caller);
  const { identities, metadataTags, conversationKey } = account.attribution;
  const { headers } = exchange.request;
  const metadata = metadataTags.length > 0 || conversationKey !== null ? metadataOf(modelRequest) : undefined;
  const who = identitiesIn(modelRequest, headers, conversationKey === null ? undefined : metadata?.[conversationKey]);
  exchange.notes.identities = who;
  const unnamed = attributionAt(modelRequest.format.path);
  if (identities === "off") return unnamed;
  const user = toStoredIdentity(who?.user, "user", account, gateway);
  const conversation = toStoredIdentity(who?.conversation, "conversation", account, gateway);
  const header = headers.get("x-tollgate-tags");
  const named = header === null && metadata === undefined ? undefined : tagsOf(header, metadata, metadataTags);
  const tags = withAgent(named, modelRequest.format.agentOf?.(headers));
  if (user === undefined && tags === undefined && conversation === undefined) return unnamed;
  return { user, tags, conversation, ...unnamed };
}

/** The `metadata` as parsed, or read from the whole body if a value is too long for the outline. */
function metadataOf(modelRequest: ModelRequest): Readonly<Record<string, unknown>> | undefined {
  const { metadata } = modelRequest.outline;
  if (!isObject(metadata)) return undefined;
  const isOutlined = Object.values(metadata).some((value) => typeof value === "string" && spanOfOmitted(value));
  return isOutlined ? (modelRequest.body["metadata"] as Record<string, unknown>) : metadata;
}

/** The end user and the conversation that the client names. Undefined for most requests, which name neither. */
function identitiesIn(modelRequest: ModelRequest, headers: HeaderFields, thread: unknown): ClientIdentities | undefined {
  const own = modelRequest.format.identitiesOf(modelRequest, headers);
  const conversation = headers.get("x-conversation-id");
  const session = headers.get("x-session-id");
  if (own === undefined && conversation === null && session === null && thread === undefined) return undefined;
  const { users: namedUsers = [], conversations: namedConversations = [] } = own ?? {};
  const users = namedUsers.filter(isName);
  const named = [conversation && headerText(conversation), session && headerText(session), ...namedConversations, thread];
  const conversations = named.filter(isName);
  return users.length + conversations.length === 0 ? undefined : new ClientIdentities(users, conversations);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function toStoredIdentity(name: string | undefined, kind: "user" | "conversation", account: Account, gateway: Gateway): string | undefined {
  return name === undefined ? undefined : storedIdentity(name, kind, account, gateway.hashSecret);
}

/** Tags in the header take precedence over tags in `metadata`, which a framework may have set. */
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

/** The tag of a request that a sub-agent sends. */
const AGENT = "agent";

/** The client's own tags take precedence, and are never rejected because of this one. */
function withAgent(tags: Tags | undefined, agent: string | undefined): Tags | undefined {
  if (!agent || (tags && (Object.hasOwn(tags, AGENT) || Object.keys(tags).length === MAX_TAGS))) return tags;
  return inOrder({ ...tags, [AGENT]: storedName(headerText(agent), "tag") });
}

const HEADER = "x-tollgate-tags";
const NAME = new RegExp(TAG_NAME);

/** The parsed tags of recent headers. Most requests of a client have the same tags. */
const recent = new Map<string, Tags>();
const MAX_RECENT = 1000;

/** The tags in a header such as `team=search,env=prod`. Throws a 400 that names the first one that cannot be read. */
function readTags(header: string): Tags {
  const known = recent.get(header);
  if (known) return known;
  const tags = inOrder(parseTags(header));
  if (recent.size >= MAX_RECENT) recent.clear();
  recent.set(header, tags);
  return tags;
}

/** Sorts tags by name, so that equal tags are stored as equal texts. */
function inOrder(tags: Tags): Tags {
  return Object.fromEntries(Object.entries(tags).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function parseTags(header: string): Tags {
  const tags: Record<string, string> = {};
  for (const part of headerText(header).split(",")) {
    const at = part.indexOf("=");
    const name = part.slice(0, Math.max(at, 0)).trim();
    const value = part.slice(at + 1).trim();
    if (name === "") throw invalidHeader(`has ${quoted(part.trim())}, which is not name=value`);
    if (!NAME.test(name)) throw invalidHeader(`has the tag name ${quoted(name)}, and a name is ${TAG_NAME_IN_WORDS}`);
    if (value === "") throw invalidHeader(`has no value for ${name}`);
    if (value.length > MAX_TAG_VALUE)
      throw invalidHeader(`has a value of ${value.length} characters for ${name}, and a value may have ${MAX_TAG_VALUE}`);
    if (Object.hasOwn(tags, name)) throw invalidHeader(`names ${name} twice`);
    tags[name] = storedName(value, "tag");
  }
  refuseTooMany(Object.keys(tags).length, "has");
  return tags;
}

/** `whose`: whether the count is for the header alone, or for the header and `metadata` together. */
function refuseTooMany(count: number, whose: "has" | "and metadata together have"): void {
  if (count > MAX_TAGS) throw invalidHeader(`${whose} ${count} tags, and a request may have ${MAX_TAGS}`);
}

/** A value of `metadata` as a tag. Values that are not plain are not tags. */
function tagValue(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? storedName(value, "tag") : undefined;
}

/** The tags in a list such as `["team:search"]`, as LiteLLM's clients send it in `metadata.tags`. A text without a name is not a tag. */
function listedTags(list: unknown): [name: string, value: string][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown): [string, string][] => {
    const [, name, value] = (typeof each === "string" && !spanOfOmitted(each) && /^([^:=]+)[:=](.+)$/s.exec(each)) || [];
    return name === undefined ? [] : [[name.trim(), storedName(value!.trim(), "tag")]];
  });
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function invalidHeader(why: string): ApiError {
  return new ApiError("invalid_value", `The header ${HEADER} ${why}.`, { param: HEADER });
}
