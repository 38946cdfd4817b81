import { isObject } from "../../lib/schema/schema.ts";
import type { Dialect, ListedModel } from "../dialect.ts";
import { readGeminiCompletion } from "./gemini-completion.ts";
import { GeminiEvents } from "./gemini-events.ts";
import { geminiRefusal } from "./gemini-refusal.ts";
import { headersFor, toCountRequest, toGeminiRequest } from "./gemini-request.ts";

/** Google's `generateContent`: requests and responses are translated. */
export const geminiDialect: Dialect = {
  request: toGeminiRequest,
  readCompletion: readGeminiCompletion,
  readEvents: (call) => new GeminiEvents(call),
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
