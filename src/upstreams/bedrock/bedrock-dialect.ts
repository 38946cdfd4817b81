import type { Dialect, ListedModel, ModelsRequest, WireRequest } from "../dialect.ts";
import { EventStreamReader } from "../streams/event-stream-reader.ts";
import { bedrockEmbeddings, toEmbeddingsBody } from "./bedrock-embeddings.ts";
import { readBedrockCompletion } from "./bedrock-completion.ts";
import { BedrockEvents } from "./bedrock-events.ts";
import { bedrockRefusal } from "./bedrock-refusal.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import { toByteText } from "../../lib/text/byte-text.ts";
import { hasCacheTtl, withoutCacheTtl } from "../../requests/cache-ttl.ts";
import { mappedBody } from "../../requests/map-parameters.ts";
import { hasCachePoints, hasHourCachePoints, isClaude, takesReasoning } from "../../models/parameters/bedrock-models.ts";
import { toThinking, type Thinking } from "../claude/claude-thinking.ts";
import type { AnyCall, RelayedCall, UpstreamCall } from "../upstream.ts";
import { toInferenceConfig, toModelFields, toOutputConfig } from "./bedrock-inference.ts";
import { isForced, toTooling, type Tooling } from "./bedrock-tools.ts";
import { isReasoningMissing, toConversation, withoutReasoning, type Turn } from "./bedrock-turns.ts";
import { toBlocks } from "./block.ts";
import { invokeModelRelay, toInvokeBody } from "./invoke-model.ts";

type Json = Readonly<Record<string, unknown>>;

/** The request of a completion: `Converse` or `ConverseStream`. */
export function toBedrockRequest(call: UpstreamCall): WireRequest {
  const operation = call.chat.stream ? "converse-stream" : "converse";
  return requestOf(call, operation, [toByteText(JSON.stringify(toConverseRequest(call)))]);
}

/** The request of a completion in the Messages format: `InvokeModel` or `InvokeModelWithResponseStream`. */
function toInvokeRequest(call: RelayedCall, settings: RemoteSettings): WireRequest {
  const operation = call.relayed.stream ? "invoke-with-response-stream" : "invoke";
  return requestOf(call, operation, toInvokeBody(call, settings));
}

function toEmbeddingsRequest(call: RelayedCall): WireRequest {
  return requestOf(call, "invoke", toEmbeddingsBody(call));
}

/** The model is in the path, as one segment: an ARN has slashes. */
function requestOf({ upstreamModel, credential }: AnyCall, operation: string, body: WireRequest["body"]): WireRequest {
  const accept = operation.endsWith("stream") ? "application/vnd.amazon.eventstream" : "application/json";
  return { path: `/model/${encodeURIComponent(upstreamModel)}/${operation}`, headers: headersFor(credential, accept), body };
}

/** A static credential is a Bedrock API key. An identity signs the request later. */
function headersFor(credential: Secret | undefined, accept: string): Record<string, string> {
  const headers = { accept, "user-agent": "tollgate" };
  return credential ? { ...headers, authorization: `Bearer ${credential.reveal()}` } : headers;
}

export function toConverseRequest(call: UpstreamCall): Json {
  const { upstreamModel } = call;
  const whole = sentBody(call);
  const body = mappedBody(whole, call.parameterMapping);
  const { system, turns: all } = toConversation(whole["messages"] as UpstreamCall["chat"]["messages"]);
  const turns = takesReasoning(upstreamModel) ? all : withoutReasoning(all);
  const tooling = toTooling(body, turns, upstreamModel);
  const maxTokens = call.maxTokens ?? countIn(body, "max_completion_tokens") ?? countIn(body, "max_tokens");
  const thinking = isClaude(upstreamModel) ? thinkingFor(call, body, turns, tooling, maxTokens ?? call.maxOutputTokens) : {};
  const caches = hasCachePoints(upstreamModel);
  return {
    ...(system.length > 0 && { system: toBlocks(system, caches) }),
    messages: turns.map(({ role, parts }) => ({ role, content: toBlocks(parts, caches) })),
    ...tooling,
    ...toInferenceConfig(body, hasBudget(thinking) ? (maxTokens ?? call.maxOutputTokens) : maxTokens, upstreamModel, thinking),
    ...toOutputConfig(body, thinking),
    ...toModelFields(body, maxTokens, upstreamModel, thinking),
  };
}

/** The client's body. Prompt-cache breakpoints keep their `ttl` only if the model has it and the hold covers it. */
function sentBody({ chat, premium, upstreamModel }: UpstreamCall): Json {
  const keepsTtl = premium?.hasHourWrites && hasHourCachePoints(upstreamModel);
  return keepsTtl || !hasCacheTtl(chat) ? chat.body : (withoutCacheTtl(chat.body) as Json);
}

function thinkingFor(call: UpstreamCall, body: Json, turns: readonly Turn[], tooling: Tooling, maxTokens: number): Thinking {
  return toThinking(body, {
    upstreamModel: call.upstreamModel,
    maxTokens,
    isForced: isForced(tooling),
    isPrefilled: turns.at(-1)?.role === "assistant",
    isThinkingMissing: isReasoningMissing(turns),
  });
}

/** A thinking budget must be below the output limit, so the limit is sent with it. */
function hasBudget({ thinking }: Thinking): boolean {
  return isObject(thinking) && thinking["type"] === "enabled";
}

function countIn(body: Json, name: string): number | undefined {
  return typeof body[name] === "number" ? body[name] : undefined;
}

/** `ListFoundationModels`: models that can be called by their own ID. Others need an inference profile. */
const MODELS = "/foundation-models?byOutputModality=TEXT&byInferenceType=ON_DEMAND";

/** `ListInferenceProfiles`: the profiles that AWS defines, such as `us.anthropic.claude-…`. */
const PROFILES = "/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED";

/**
 * The list is from the control plane, which has a separate host: `bedrock`, not `bedrock-runtime`. Behind a private endpoint, the host may
 * be the same.
 */
export function bedrockModelsRequest({ baseUrl }: RemoteSettings, credential: Secret | undefined, page = MODELS): ModelsRequest {
  const controlPlane = baseUrl.replace(/^(https:\/\/bedrock)-runtime(?=[.-])/, "$1");
  return { path: page, headers: headersFor(credential, "application/json"), baseUrl: controlPlane };
}

/** The models are in one page. The pages with the profiles follow. */
function nextPage(text: string, page: string | undefined): string | undefined {
  if (page === undefined) return PROFILES;
  const answer: unknown = JSON.parse(text);
  const next = isObject(answer) ? answer["nextToken"] : undefined;
  return typeof next === "string" && next !== "" ? `${PROFILES}&nextToken=${encodeURIComponent(next)}` : undefined;
}

export function modelsIn(text: string): ListedModel[] {
  const answer: unknown = JSON.parse(text);
  const { modelSummaries: models, inferenceProfileSummaries: profiles } = isObject(answer) ? answer : {};
  if (Array.isArray(models)) return models.filter(isObject).flatMap(({ modelId, providerName }) => listed(modelId, providerName));
  if (Array.isArray(profiles)) return profiles.filter(isObject).flatMap(({ inferenceProfileId }) => listed(inferenceProfileId));
  throw new Error("it does not answer like a model server");
}

function listed(id: unknown, ownedBy?: unknown): ListedModel[] {
  if (typeof id !== "string" || id === "") return [];
  return [{ id, ownedBy: typeof ownedBy === "string" ? ownedBy : undefined, createdSeconds: undefined }];
}

/**
 * Amazon Bedrock's `Converse` and `ConverseStream`, whose requests and responses are translated. Claude takes requests in the Messages
 * format as they are. Embeddings are translated for each model family.
 */
export const bedrockDialect: Dialect = {
  request: toBedrockRequest,
  readCompletion: readBedrockCompletion,
  readEvents: (call) => new BedrockEvents(call),
  openReader: () => new EventStreamReader(),
  relays: {
    messages: { ...invokeModelRelay, request: toInvokeRequest },
    embeddings: { ...bedrockEmbeddings, request: toEmbeddingsRequest },
  },
  refusal: bedrockRefusal,
  modelsRequest: bedrockModelsRequest,
  modelsIn,
  nextPage,
};
