import { isObject } from "../../lib/schema/schema.ts";
import type { Dialect, ListedModel, WireRequest } from "../dialect.ts";
import type { RelayedCall } from "../upstream.ts";
import { readErrorBody, refusalOf } from "../refusal.ts";
import { ChunkMender } from "./chunk-mender.ts";
import { hasResponses, modelsPathFor, pathFor, responsesPathFor, toOpenAIRequest } from "./openai-request.ts";
import { relayCompletion } from "./relay-completion.ts";
import { responsesRelay, toRelayedResponse } from "./responses-relay.ts";
import { presetOf } from "../../models/presets.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";

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

/** The chat-completions format: requests and responses are relayed, not translated. */
export const openaiDialect: Dialect = {
  request(call, settings) {
    const accept = call.chat.stream ? "text/event-stream" : "application/json";
    return { path: pathFor(call, settings), headers: headersFor(settings, call.credential, accept), body: toOpenAIRequest(call, settings) };
  },
  readCompletion: relayCompletion,
  readEvents: (call) => new ChunkMender(call),
  refusal: (status, headers, body) => refusalOf(status, headers, readErrorBody(body)),
  modelsRequest: (settings, credential) => ({
    path: modelsPathFor(settings),
    headers: headersFor(settings, credential, "application/json"),
  }),
  modelsIn,
  relays: { responses: { ...responsesRelay, takes: hasResponses, request: toResponsesRequest } },
};

function toResponsesRequest(call: RelayedCall, settings: RemoteSettings): WireRequest {
  const accept = call.relayed.stream ? "text/event-stream" : "application/json";
  const headers = { ...headersFor(settings, call.credential, accept), ...call.formatHeaders };
  return { path: responsesPathFor(settings), headers, body: toRelayedResponse(call) };
}

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
