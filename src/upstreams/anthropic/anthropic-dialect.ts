import { toByteText } from "../../lib/text/byte-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import { presetOf } from "../../models/presets.ts";
import type { Dialect, ListedModel, WireRequest } from "../dialect.ts";
import type { UpstreamCall } from "../upstream.ts";
import { toCompletion } from "./anthropic-completion.ts";
import { anthropicRefusal } from "./anthropic-error.ts";
import { AnthropicEvents } from "./anthropic-events.ts";
import { toMessagesRequest } from "./anthropic-request.ts";
import { toVertexRequest } from "./vertex-request.ts";

/** The version of the Messages API that this dialect is written for. */
const VERSION = "2023-06-01";

export const anthropicDialect: Dialect = {
  request(call, { preset }) {
    const version = preset && presetOf(preset).quirks?.rawPredictVersion;
    if (version !== undefined) return toRawPredict(call, version);
    const headers = headersFor(call.credential, acceptOf(call));
    return { path: "/messages", headers, body: [toByteText(JSON.stringify(toMessagesRequest(call)))] };
  },
  readCompletion: toCompletion,
  readEvents: (call) => new AnthropicEvents(call),
  refusal: anthropicRefusal,
  modelsRequest: (_settings, credential) => ({ path: "/models?limit=1000", headers: headersFor(credential, "application/json") }),
  modelsIn,
  countRequest: toCountRequest,
};

/** The same request at Vertex AI, whose path has the model. */
function toRawPredict(call: UpstreamCall, version: string): WireRequest {
  // Names have their date after an `@`, which a path may contain as it is.
  const model = encodeURIComponent(call.upstreamModel.toWellFormed()).replaceAll("%40", "@");
  return {
    path: `/models/${model}:${call.chat.stream ? "streamRawPredict" : "rawPredict"}`,
    headers: vertexHeaders(call.credential, acceptOf(call)),
    body: [toByteText(JSON.stringify(toVertexRequest(call, version)))],
  };
}

/** At Vertex AI: https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens */
function toCountRequest(credential: Secret | undefined, upstreamModel: string): WireRequest {
  const body = { model: upstreamModel, messages: [{ role: "user", content: "Hello" }] };
  const headers = vertexHeaders(credential, "application/json");
  return { path: "/models/count-tokens:rawPredict", headers, body: [toByteText(JSON.stringify(body))] };
}

function vertexHeaders(credential: Secret | undefined, accept: string): Record<string, string> {
  const headers = { accept, "user-agent": "tollgate" };
  return credential ? { ...headers, authorization: `Bearer ${credential.reveal()}` } : headers;
}

function acceptOf({ chat }: UpstreamCall): string {
  return chat.stream ? "text/event-stream" : "application/json";
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
