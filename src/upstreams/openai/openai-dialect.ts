import { EMBEDDINGS, relayEmbeddings, requireTexts } from "../embeddings.ts";
import { relayedBody } from "../relayed-body.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { toByteText } from "../../lib/text/byte-text.ts";
import type { Dialect, ListedModel, Relay } from "../dialect.ts";
import { readErrorBody, refusalOf } from "../refusal.ts";
import { ChunkMender } from "./chunk-mender.ts";
import { embeddingsPathFor, hasResponses, modelsPathFor, pathFor, quirksOf, responsesPathFor, toOpenAIRequest } from "./openai-request.ts";
import { relayCompletion } from "./relay-completion.ts";
import { responsesRelay, toRelayedResponse } from "./responses-relay.ts";
import { toResponsesBody } from "./responses-request.ts";
import { ResponseEvents, toChatCompletion } from "./responses-response.ts";
import { presetOf } from "../../models/presets.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import type { RelayedRequest, RelayTerms } from "../upstream.ts";

/** The headers of every request: our credential, and none of the caller's headers. */
export function headersFor({ preset }: RemoteSettings, credential: Secret | undefined, accept: string): Record<string, string> {
  const headers: Record<string, string> = { accept, "user-agent": "tollgate" };
  if (!credential) return headers;
  const name = preset && presetOf(preset).quirks?.credentialHeader;
  if (name && !isAccessToken(credential)) headers[name] = credential.reveal();
  else headers["authorization"] = `Bearer ${credential.reveal()}`;
  return headers;
}

/** Azure expects API keys in its own header, and Entra ID tokens (JWTs) as a bearer token. */
function isAccessToken(credential: Secret): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(credential.reveal());
}

function acceptFor(stream: boolean): string {
  return stream ? "text/event-stream" : "application/json";
}

/** What both formats have in common. */
const OF_PROVIDER: Pick<Dialect, "refusal" | "modelsRequest" | "modelsIn"> = {
  refusal: (status, headers, body) => refusalOf(status, headers, readErrorBody(body)),
  modelsRequest: (settings, credential) => ({
    path: modelsPathFor(settings),
    headers: headersFor(settings, credential, "application/json"),
  }),
  modelsIn,
};

const RESPONSES_RELAY: Relay = {
  ...responsesRelay,
  request: (call, settings) => ({
    path: responsesPathFor(settings),
    headers: { ...headersFor(settings, call.credential, acceptFor(call.relayed.stream)), ...call.formatHeaders },
    body: toRelayedResponse(call),
  }),
};

/** OpenAI's limit, which many servers share. */
const MAX_INPUTS = 2048;

/** What a server with quirks takes of a request. */
function embeddingTerms(relayed: RelayedRequest, settings: RemoteSettings): RelayTerms | undefined {
  const { lacksEmbeddingTokens, embeddingParameters } = quirksOf(settings);
  if (lacksEmbeddingTokens) requireTexts(relayed);
  return embeddingParameters && { rules: { byName: embeddingParameters, others: "pass" }, droppedParts: [] };
}

const EMBEDDINGS_RELAY: Relay = {
  ...EMBEDDINGS,
  terms: (relayed, _upstreamModel, settings) => embeddingTerms(relayed, settings),
  request: ({ relayed, upstreamModel, credential, parameterMapping }, settings) => ({
    path: embeddingsPathFor(upstreamModel, settings),
    headers: headersFor(settings, credential, acceptFor(false)),
    body: relayedBody(relayed, { model: upstreamModel }, {}, parameterMapping.dropped),
  }),
  readCompletion: relayEmbeddings,
  maxInputs: (settings) => quirksOf(settings).maxEmbeddingInputs ?? MAX_INPUTS,
};

/** The chat-completions format: requests and responses are relayed, not translated. */
export const openaiDialect: Dialect = {
  ...OF_PROVIDER,
  request: (call, settings) => ({
    path: pathFor(call, settings),
    headers: headersFor(settings, call.credential, acceptFor(call.chat.stream)),
    body: toOpenAIRequest(call, settings),
  }),
  readCompletion: relayCompletion,
  readEvents: (call) => new ChunkMender(call),
  relays: { responses: { ...RESPONSES_RELAY, takes: hasResponses }, embeddings: EMBEDDINGS_RELAY },
};

/** The Responses API, for models that have no chat completions: requests and responses are translated. */
export const responsesDialect: Dialect = {
  ...OF_PROVIDER,
  request: (call, settings) => ({
    path: responsesPathFor(settings),
    headers: headersFor(settings, call.credential, acceptFor(call.chat.stream)),
    body: [toByteText(JSON.stringify(toResponsesBody(call)))],
  }),
  readCompletion: toChatCompletion,
  readEvents: (call) => new ResponseEvents(call),
  relays: { responses: RESPONSES_RELAY },
};

/** Together returns a bare array, all other servers an array in `data`. */
function modelsIn(text: string): ListedModel[] {
  const answer: unknown = JSON.parse(text);
  const list = isObject(answer) ? answer["data"] : answer;
  if (!Array.isArray(list)) throw new Error("it does not answer like a model server");
  return list.filter(isObject).flatMap(({ id, created, owned_by: ownedBy }) => {
    if (typeof id !== "string") return [];
    return [
      {
        id,
        ownedBy: typeof ownedBy === "string" ? ownedBy : undefined,
        createdSeconds: Number.isSafeInteger(created) ? (created as number) : undefined,
      },
    ];
  });
}
