import { isObject } from "../../lib/schema/schema.ts";
import type { Dialect, ListedModel } from "../dialect.ts";
import { geminiEmbeddings } from "./gemini-embeddings.ts";
import { GeminiEvents } from "./gemini-events.ts";
import { geminiRefusal } from "./gemini-refusal.ts";
import { headersFor, toCountRequest, toGeminiRequest } from "./gemini-request.ts";
import { truncatedResponse } from "../refusal.ts";
import type { Completion, UpstreamCall } from "../upstream.ts";
import { newResponseId, writeCompletion } from "../streams/write-completion.ts";
import { promptBlocked, readResponse } from "./gemini-response.ts";
import { rejectFailure, toFinishReason } from "./gemini-finish.ts";
import { DeltaReader, type Delta } from "./gemini-deltas.ts";
import { readUsage } from "./gemini-usage.ts";

/** Translates a complete response into a chat completion. */
export function readGeminiCompletion(text: string, call: UpstreamCall): Completion {
  const report = call.report.bind(call);
  const { id = newResponseId(), parts, finishReason, blockReason, usageMetadata } = readResponse(text);
  if (finishReason === undefined)
    throw blockReason === undefined ? truncatedResponse("there is no finish reason") : promptBlocked(blockReason);
  rejectFailure(finishReason);
  const reader = new DeltaReader(report);
  const deltas = [...reader.take(parts), ...reader.end()];
  const toolCalls = deltas.flatMap((delta) => (delta.kind === "call" ? delta.call : []));
  const content = textOf(deltas, "text");
  const usage = readUsage(usageMetadata);
  if (!usage) report(usageMetadata === undefined ? "usage_missing" : "usage_malformed");
  return writeCompletion({
    id,
    model: call.model,
    text: content === "" && toolCalls.length > 0 ? null : content,
    reasoning: textOf(deltas, "reasoning"),
    toolCalls,
    extraContent: deltas.findLast((delta) => delta.kind === "signature")?.extraContent,
    finishReason: toFinishReason(finishReason, toolCalls.length > 0, report),
    usage,
  });
}

function textOf(deltas: readonly Delta[], kind: "text" | "reasoning"): string {
  return deltas.map((delta) => (delta.kind === kind ? delta.text : "")).join("");
}

/** Google's `generateContent` and its methods for embeddings: requests and responses are translated. */
export const geminiDialect: Dialect = {
  request: toGeminiRequest,
  readCompletion: readGeminiCompletion,
  readEvents: (call) => new GeminiEvents(call),
  relays: { embeddings: geminiEmbeddings },
  refusal: geminiRefusal,
  modelsRequest: (_settings, credential) => ({ path: "/models?pageSize=1000", headers: headersFor(credential, "application/json") }),
  modelsIn,
  countRequest: toCountRequest,
};

/** Models that generate text: the list also has embedding, image and video models. */
function modelsIn(text: string): ListedModel[] {
  const answer: unknown = JSON.parse(text);
  const list = isObject(answer) ? answer["models"] : undefined;
  if (!Array.isArray(list)) throw new Error("it does not answer like a model server");
  return list.filter(isObject).flatMap((model) => {
    const { name, supportedGenerationMethods: methods, inputTokenLimit, outputTokenLimit } = model;
    if (typeof name !== "string" || !Array.isArray(methods) || !methods.includes("generateContent")) return [];
    return [
      {
        id: name.replace(/^models\//, ""),
        ownedBy: undefined,
        createdSeconds: undefined,
        contextWindow: countOf(inputTokenLimit),
        maxOutputTokens: countOf(outputTokenLimit),
      },
    ];
  });
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;
}
