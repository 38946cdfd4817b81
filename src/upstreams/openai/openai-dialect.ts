import { isObject } from "../../lib/schema/schema.ts";
import type { Dialect, ListedModel } from "../dialect.ts";
import { readErrorBody, refusalOf } from "../refusal.ts";
import { ChunkMender } from "./chunk-mender.ts";
import { headersFor } from "./openai-headers.ts";
import { modelsPathFor, pathFor, toOpenAIRequest } from "./openai-request.ts";
import { relayCompletion } from "./relay-completion.ts";

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
