import { toByteText } from "../../lib/text/byte-text.ts";
import { isObject, type Path } from "../../lib/schema/schema.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import { presetOf } from "../../models/presets.ts";
import type { Dialect, ListedModel, WireRequest } from "../dialect.ts";
import type { RelayedCall, UpstreamCall } from "../upstream.ts";
import { toCompletion } from "./anthropic-completion.ts";
import { anthropicRefusal } from "./anthropic-error.ts";
import { AnthropicEvents } from "./anthropic-events.ts";
import { toMessagesRequest } from "./anthropic-request.ts";
import { cloudError, cloudTerms, toCloudMessages, VERTEX } from "./cloud-messages.ts";
import { messagesRelay, relayedError, toRelayedMessages } from "./messages-relay.ts";
import { wrongValue } from "../unsupported-parameter.ts";
import type { Turn } from "./anthropic-turns.ts";
import type { Block } from "./block.ts";

/** The version of the Messages API that this dialect is written for. */
const VERSION = "2023-06-01";

export const anthropicDialect: Dialect = {
  request(call, settings) {
    const version = vertexVersion(settings);
    if (version !== undefined) return toRawPredict(call, version);
    const headers = headersFor(call.credential, acceptFor(call.chat.stream));
    return { path: "/messages", headers, body: [toByteText(JSON.stringify(toMessagesRequest(call)))] };
  },
  readCompletion: toCompletion,
  readEvents: (call) => new AnthropicEvents(call),
  refusal: anthropicRefusal,
  modelsRequest: (_settings, credential) => ({ path: "/models?limit=1000", headers: headersFor(credential, "application/json") }),
  modelsIn,
  countRequest: toCountRequest,
  relays: {
    messages: {
      ...messagesRelay,
      terms: (relayed, model, settings) => (vertexVersion(settings) === undefined ? undefined : cloudTerms(relayed, model, VERTEX)),
      request: toRelayedRequest,
      countsTokens: true,
      errorIn: (status, body) => relayedError(status, body) ?? cloudError(status, body),
    },
  },
};

/** The version of Vertex AI's form of the API, which has betas and fields of its own; undefined elsewhere. */
function vertexVersion({ preset }: RemoteSettings): string | undefined {
  return preset && presetOf(preset).quirks?.rawPredictVersion;
}

/** The client's version and betas take effect: it knows which fields it sends. */
function toRelayedRequest(call: RelayedCall, settings: RemoteSettings): WireRequest {
  const version = vertexVersion(settings);
  if (version !== undefined) return call.isCount ? toRelayedCount(call) : toRelayedRawPredict(call, version);
  const headers = headersFor(call.credential, acceptFor(call.relayed.stream));
  const path = call.isCount ? "/messages/count_tokens" : "/messages";
  return { path, headers: { ...headers, ...call.formatHeaders }, body: toRelayedMessages(call) };
}

/** At Vertex AI the version is in the body, and the betas are in a header. */
function toRelayedRawPredict(call: RelayedCall, version: string): WireRequest {
  const { stream } = call.relayed;
  const { body, betas } = toCloudMessages(call, VERTEX, () => ({ anthropic_version: version }), ["model"]);
  const headers = vertexHeaders(call.credential, acceptFor(stream));
  return {
    path: rawPredictPath(call.upstreamModel, stream),
    headers: betas.length > 0 ? { ...headers, "anthropic-beta": betas.join(",") } : headers,
    body,
  };
}

/** The fields of a request that counts tokens. Vertex AI accepts no betas there. */
const COUNTED: ReadonlySet<string> = new Set(["model", "messages", "system", "tools", "tool_choice", "thinking"]);

function toRelayedCount(call: RelayedCall): WireRequest {
  const uncounted = Object.keys(call.relayed.outline).filter((name) => !COUNTED.has(name));
  const { body } = toCloudMessages(call, { ...VERTEX, betas: {} }, () => ({ model: call.upstreamModel }), uncounted);
  return { path: COUNT_PATH, headers: vertexHeaders(call.credential, "application/json"), body };
}

/** The same request at Vertex AI, whose path has the model. */
function toRawPredict(call: UpstreamCall, version: string): WireRequest {
  return {
    path: rawPredictPath(call.upstreamModel, call.chat.stream),
    headers: vertexHeaders(call.credential, acceptFor(call.chat.stream)),
    body: [toByteText(JSON.stringify(toVertexRequest(call, version)))],
  };
}

/** Model names end in `@` and a date; a path may contain the `@` unescaped. */
function rawPredictPath(upstreamModel: string, stream: boolean): string {
  const model = encodeURIComponent(upstreamModel.toWellFormed()).replaceAll("%40", "@");
  return `/models/${model}:${stream ? "streamRawPredict" : "rawPredict"}`;
}

/** At Vertex AI: https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens */
const COUNT_PATH = "/models/count-tokens:rawPredict";

function toCountRequest(credential: Secret | undefined, upstreamModel: string): WireRequest {
  const body = { model: upstreamModel, messages: [{ role: "user", content: "Hello" }] };
  const headers = vertexHeaders(credential, "application/json");
  return { path: COUNT_PATH, headers, body: [toByteText(JSON.stringify(body))] };
}

function vertexHeaders(credential: Secret | undefined, accept: string): Record<string, string> {
  const headers = { accept, "user-agent": "tollgate" };
  return credential ? { ...headers, authorization: `Bearer ${credential.reveal()}` } : headers;
}

function acceptFor(stream: boolean): string {
  return stream ? "text/event-stream" : "application/json";
}

function headersFor(credential: Secret | undefined, accept: string): Record<string, string> {
  const headers = { accept, "user-agent": "tollgate", "anthropic-version": VERSION };
  return credential ? { ...headers, "x-api-key": credential.reveal() } : headers;
}

function modelsIn(text: string): ListedModel[] {
  const answer: unknown = JSON.parse(text);
  if (!isObject(answer) || !Array.isArray(answer["data"])) throw new Error("it does not answer like a model server");
  return answer["data"].filter(isObject).flatMap(({ id, created_at: createdAt, max_input_tokens: context, max_tokens: longest }) => {
    if (typeof id !== "string") return [];
    const createdMs = typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN;
    return [
      {
        id,
        ownedBy: "anthropic",
        createdSeconds: Number.isNaN(createdMs) ? undefined : Math.floor(createdMs / 1000),
        contextWindow: isPositive(context) ? context : undefined,
        maxOutputTokens: isPositive(longest) ? longest : undefined,
      },
    ];
  });
}

function isPositive(count: unknown): count is number {
  return Number.isSafeInteger(count) && (count as number) > 0;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * A Messages request for Vertex AI, whose body has the version and no model. Vertex AI does not fetch URLs, and supports cache breakpoints
 * only on blocks: https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai
 */
function toVertexRequest(call: UpstreamCall, version: string): Json {
  for (const [at, { content }] of call.chat.messages.entries()) refuseUrls(content, ["messages", at, "content"]);
  const { model: _, cache_control: breakpoint, messages, ...request } = toMessagesRequest(call);
  return { ...request, messages: breakpoint ? withBreakpoint(messages, breakpoint) : messages, anthropic_version: version };
}

function refuseUrls(content: unknown, path: Path): void {
  if (!Array.isArray(content)) return;
  for (const [at, part] of content.entries()) {
    const { type, image_url: image, file } = isObject(part) ? part : {};
    if (type === "image_url")
      refuseUrl(isObject(image) ? image["url"] : image, [...path, at, "image_url", ...(isObject(image) ? ["url"] : [])]);
    if (type === "file" && isObject(file)) refuseUrl(file["file_data"], [...path, at, "file", "file_data"]);
  }
}

function refuseUrl(data: unknown, path: Path): void {
  if (typeof data === "string" && /^https:/i.test(data))
    throw wrongValue(path, "must be a data: URL in base64: this model fetches no addresses");
}

/** Moves a top-level breakpoint to the last block of the conversation that can have one. Blocks of thinking cannot. */
function withBreakpoint(turns: readonly Turn[], breakpoint: unknown): Turn[] {
  const { role, content } = turns.at(-1)!;
  const at = content.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  const marked = content.map((block, index): Block => (index === at ? { cache_control: breakpoint, ...block } : block));
  return [...turns.slice(0, -1), { role, content: marked }];
}
