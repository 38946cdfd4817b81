import { toByteText, type ByteText } from "../../lib/text/byte-text.ts";
import { hasCacheTtl, withoutCacheTtl } from "../../requests/cache-ttl.ts";
import type { ChatRequest, NewNames } from "../../requests/chat-request.ts";
import { topLevelFields, withFields } from "../../lib/json/json-text.ts";
import type { ParameterMapping } from "../../models/parameters/parameter-policy.ts";
import type { Quirks } from "../../models/preset.ts";
import { presetOf } from "../../models/presets.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import type { UpstreamCall } from "../upstream.ts";
import { toBase62 } from "../../lib/text/base62.ts";

const NONE: Quirks = {};

/** The differences of a server from OpenAI's. */
export function quirksOf({ preset }: RemoteSettings): Quirks {
  return (preset && presetOf(preset).quirks) ?? NONE;
}

/** The path of chat completions, below the base URL. */
export function pathFor({ upstreamModel }: UpstreamCall, settings: RemoteSettings): string {
  const { completionsPath, apiVersions } = quirksOf(settings);
  const path = completionsPath === undefined ? "/chat/completions" : completionsPath.replace("{model}", encodeURIComponent(upstreamModel));
  return apiVersions === undefined ? path : withVersion(path, settings.apiVersion ?? apiVersions.default);
}

/** The path of embeddings, below the base URL. */
export function embeddingsPathFor(upstreamModel: string, settings: RemoteSettings): string {
  const { completionsPath, apiVersions } = quirksOf(settings);
  const path = completionsPath?.replace("{model}", encodeURIComponent(upstreamModel)).replace(/chat\/completions$/, "embeddings");
  return withVersion(path ?? "/embeddings", apiVersions === undefined ? undefined : (settings.apiVersion ?? apiVersions.default));
}

/** Whether a server serves the Responses API. */
export function hasResponses(settings: RemoteSettings): boolean {
  return quirksOf(settings).hasResponses === true;
}

/** The path of the Responses API, below the base URL. */
export function responsesPathFor(settings: RemoteSettings): string {
  return withVersion("/responses", settings.apiVersion ?? quirksOf(settings).apiVersions?.default);
}

/** The path of the model list, below the base URL. */
export function modelsPathFor(settings: RemoteSettings): string {
  return withVersion("/models", settings.apiVersion ?? quirksOf(settings).apiVersions?.default);
}

function withVersion(path: string, version: string | undefined): string {
  return version === undefined ? path : `${path}?api-version=${version}`;
}

/**
 * The caller's body with the upstream model, the gateway's max tokens if they differ from the caller's, and, on a stream, `include_usage`:
 * billing needs the counts even if the caller does not ask for them. All other bytes are unchanged, except for what this server would
 * reject.
 */
export function toOpenAIRequest({ chat, upstreamModel, parameterMapping, maxTokens }: UpstreamCall, settings: RemoteSettings): ByteText[] {
  const quirks = quirksOf(settings);
  const changes: Record<string, ByteText> = { model: toByteText(JSON.stringify(upstreamModel)) };
  if (maxTokens !== undefined)
    for (const name of namesOfMaxTokens(chat, parameterMapping, quirks)) changes[name] = toByteText(String(maxTokens));
  if (chat.stream && !chat.includeUsage && !quirks.alwaysSendsUsage) changes["stream_options"] = askingForUsage(chat);
  const messages = quirks === NONE ? undefined : adaptMessages(chat, quirks);
  if (messages) changes["messages"] = toByteText(JSON.stringify(messages));
  if (hasCacheTtl(chat)) dropCacheTtl(messages ? { ...chat.body, messages } : chat.body, changes);
  return chat.rewrite(changes, newNames(chat, parameterMapping, quirks));
}

/** A server with this format counts the writes for an hour with all others, so they have no price. */
function dropCacheTtl(body: Readonly<Record<string, unknown>>, changes: Record<string, ByteText>): void {
  const without = withoutCacheTtl(body) as typeof body;
  for (const name in without) if (without[name] !== body[name]) changes[name] = toByteText(JSON.stringify(without[name]));
}

const INCLUDE_USAGE = toByteText('{"include_usage":true}');

function askingForUsage({ byteText, fields, outline }: ChatRequest): ByteText {
  if (!isObject(outline["stream_options"])) return INCLUDE_USAGE;
  const { valueStart, valueEnd } = fields.find(({ key }) => key === "stream_options")!;
  const asked = byteText.slice(valueStart, valueEnd) as ByteText;
  return withFields(asked, topLevelFields(asked), { include_usage: toByteText("true") }).join("") as ByteText;
}

/**
 * The names that the caller used, possibly both; otherwise the upstream's: OpenAI's newer models reject `max_tokens`, most other servers
 * reject `max_completion_tokens`.
 */
function namesOfMaxTokens({ outline }: ChatRequest, { dropped, renamed }: ParameterMapping, { maxTokens }: Quirks): string[] {
  const used = ["max_completion_tokens", "max_tokens"].filter((name) => outline[name] != null && !dropped.includes(name));
  return used.length > 0 ? used.map((name) => renamed[name] ?? name) : [maxTokens ?? "max_tokens"];
}

/** The fields to rename, or to drop (with the value undefined); undefined if there are none. */
function newNames(
  { outline }: ChatRequest,
  { dropped, renamed }: ParameterMapping,
  { alwaysSendsUsage = false }: Quirks,
): NewNames | undefined {
  let names: Record<string, string | undefined> | undefined;
  for (const name of dropped) (names ??= {})[name] = undefined;
  // The new name is dropped first: the body may already have it with a null, which would be a duplicate field.
  for (const name in renamed) Object.assign((names ??= {}), { [renamed[name]!]: undefined, [name]: renamed[name] });
  if (alwaysSendsUsage && Object.hasOwn(outline, "stream_options")) (names ??= {})["stream_options"] = undefined;
  return names;
}

type Message = Readonly<Record<string, unknown>>;

/** Adapts the messages to a server with these quirks; undefined if nothing has to change. */
export function adaptMessages(chat: Pick<ChatRequest, "messages">, quirks: Quirks): readonly Message[] | undefined {
  const { messageFields, lacksDeveloperRole, needsJoinedText, shortToolIds } = quirks;
  if (!messageFields && !lacksDeveloperRole && !needsJoinedText && !shortToolIds) return undefined;
  const { messages } = chat;
  const changed = messages.map((message) => adaptMessage(message, quirks));
  return changed.some((message, at) => message !== messages[at]) ? changed : undefined;
}

/** Returns the same object if nothing has to change. */
function adaptMessage(message: Message, { messageFields, lacksDeveloperRole, needsJoinedText, shortToolIds }: Quirks): Message {
  let result = message;
  if (messageFields) result = withoutFields(result, messageFields);
  if (lacksDeveloperRole && message["role"] === "developer") result = { ...result, role: "system" };
  if (needsJoinedText) result = withTextInOnePiece(result);
  if (shortToolIds) result = withShortToolIds(result);
  return result;
}

function withoutFields(message: Message, rolesByField: Readonly<Record<string, readonly string[]>>): Message {
  const isRefused = (field: string): boolean =>
    Object.hasOwn(rolesByField, field) && !rolesByField[field]!.includes(message["role"] as string);
  const fields = Object.keys(message);
  return fields.some(isRefused) ? Object.fromEntries(Object.entries(message).filter(([field]) => !isRefused(field))) : message;
}

/** Joins text parts with line breaks. Content with images stays in parts, because an image has no other form. */
function withTextInOnePiece(message: Message): Message {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const texts = content.map((part: unknown) => (isObject(part) && part["type"] === "text" ? part["text"] : undefined));
  return texts.every((text) => typeof text === "string") ? { ...message, content: texts.join("\n") } : message;
}

/** Shortening is deterministic, so a call and its result get the same id. */
function withShortToolIds(message: Message): Message {
  const { tool_calls: calls, tool_call_id: answered } = message;
  let result = message;
  if (Array.isArray(calls) && calls.some((call) => isObject(call) && isTooLong(call["id"]))) {
    result = { ...result, tool_calls: calls.map((call: unknown) => (isObject(call) ? { ...call, id: shortened(call["id"]) } : call)) };
  }
  return isTooLong(answered) ? { ...result, tool_call_id: shortened(answered) } : result;
}

function isTooLong(id: unknown): id is string {
  return typeof id === "string" && !/^[A-Za-z\d]{9}$/.test(id);
}

/** 48 bits of a SHA-256 hash as nine base62 characters: collisions within one conversation are negligible. */
function shortened(id: unknown): unknown {
  if (!isTooLong(id)) return id;
  const hash = new Bun.CryptoHasher("sha256").update(id).digest();
  return toBase62(hash.readUIntBE(0, 6), 9);
}
