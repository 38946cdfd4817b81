import { topLevelFields } from "../../lib/json/json-text.ts";
import { fromByteText, toByteText, type ByteText } from "../../lib/text/byte-text.ts";
import type { DefaultParameters } from "../../models/parameters/default-parameters.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { LIMIT_NAMES } from "../../models/parameters/parameter-policy.ts";
import type { ChatRequest, NewNames, NewValues } from "../chat-request.ts";

/** Adds the default parameters that the request does not set. Null counts as not set, as everywhere in a request. */
export function withDefaults(chat: ChatRequest, defaults: DefaultParameters): ChatRequest {
  const { outline } = chat;
  const isLimited = LIMIT_NAMES.some((name) => outline[name] != null);
  const isAdded = (name: string): boolean => outline[name] == null && !(isLimited && LIMITS.has(name));
  const added = Object.entries(defaults).filter(([name]) => isAdded(name));
  return added.length === 0 ? chat : new ChangedChat(chat, Object.fromEntries(added));
}

/**
 * The request without a list in `metadata.tags`, as LiteLLM's clients send it: these tags are for the gateway, and providers reject them.
 * If `metadata` has no other field, it is omitted: the caller did not send an empty `metadata`.
 */
export function withoutGatewayTags(chat: ChatRequest): ChatRequest {
  const { metadata } = chat.outline;
  if (!isObject(metadata) || !Array.isArray(metadata["tags"])) return chat;
  const { tags: _tags, ...rest } = chat.body["metadata"] as Record<string, unknown>;
  return Object.keys(rest).length === 0 ? new ChangedChat(chat, {}, "metadata") : new ChangedChat(chat, { metadata: rest });
}

/** The caller's limit takes precedence, whichever of the two names it uses. */
const LIMITS: ReadonlySet<string> = new Set(LIMIT_NAMES);

/**
 * A request with changed fields: either adds and replaces fields, or omits one. The text is written on demand, because usually only one of
 * several routes is called.
 */
class ChangedChat implements ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly outline: ChatRequest["outline"];
  readonly #chat: ChatRequest;
  readonly #added: DefaultParameters;
  readonly #omitted: string | undefined;
  #byteText: ByteText | undefined;
  #fields: ChatRequest["fields"] | undefined;

  constructor(chat: ChatRequest, added: DefaultParameters, omitted?: string) {
    this.model = chat.model;
    this.stream = chat.stream;
    this.includeUsage = chat.includeUsage;
    this.#chat = chat;
    this.#added = added;
    this.#omitted = omitted;
    this.outline = this.#change(chat.outline);
  }

  get byteText(): ByteText {
    return (this.#byteText ??= this.rewrite({}).join("") as ByteText);
  }

  get fields(): ChatRequest["fields"] {
    return (this.#fields ??= topLevelFields(this.byteText));
  }

  get text(): string {
    return fromByteText(this.byteText);
  }

  get outlineText(): ByteText {
    return (this.#chat.outlineText + toByteText(JSON.stringify(this.#added))) as ByteText;
  }

  get body(): ChatRequest["body"] {
    return this.#change(this.#chat.body);
  }

  get messages(): ChatRequest["messages"] {
    return this.#chat.messages;
  }

  rewrite(values: NewValues, names?: NewNames): ByteText[] {
    const own: Record<string, ByteText> = {};
    for (const name in this.#added) {
      const sent = names && Object.hasOwn(names, name) ? names[name] : name;
      if (sent !== undefined) own[sent] = toByteText(JSON.stringify(this.#added[name]));
    }
    const omitted = this.#omitted === undefined ? undefined : { [this.#omitted]: undefined };
    return this.#chat.rewrite({ ...own, ...values }, names || omitted ? { ...names, ...omitted } : undefined);
  }

  #change(fields: ChatRequest["body"]): ChatRequest["body"] {
    const changed: Record<string, unknown> = { ...fields, ...this.#added };
    if (this.#omitted !== undefined) delete changed[this.#omitted];
    return changed;
  }
}
