import { isObject } from "../../lib/schema/schema.ts";
import { toByteText } from "../../lib/text/byte-text.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import type { Relay, WireRequest } from "../dialect.ts";
import { EMBEDDINGS, termsOfTexts, textsIn, toEmbeddings } from "../embeddings.ts";
import { parseAnswer, unparsableResponse } from "../refusal.ts";
import type { Completion, RelayedCall } from "../upstream.ts";
import { errorIn, geminiErrorInside } from "./gemini-refusal.ts";
import { headersFor, pathOf, resourceNameOf } from "./gemini-request.ts";

type Json = Readonly<Record<string, unknown>>;

/** The vectors of a response, and its token count, if it has one. */
interface ReadVectors {
  readonly vectors: readonly unknown[];
  readonly promptTokens: unknown;
}

/** One of Google's methods for embeddings. */
interface EmbeddingMethod {
  readonly name: string;
  readonly maxInputs: number;
  readonly maxInputBytes?: number;
  /** `fields`: the fields of the client's request. */
  write(texts: readonly string[], fields: Json, upstreamModel: string): Json;
}

/** The Gemini API: https://ai.google.dev/api/embeddings. More requests: "at most 100 requests can be in one batch". */
const BATCH: EmbeddingMethod = {
  name: "batchEmbedContents",
  maxInputs: 100,
  write: (texts, fields, upstreamModel) => ({
    requests: texts.map((text) => ({ model: resourceNameOf(upstreamModel), content: toContent(text), ...toConfig(fields) })),
  }),
};

/**
 * Vertex AI: https://cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings. A request has at most 250 texts and 20,000
 * tokens, and no text has more tokens than bytes.
 */
const PREDICT: EmbeddingMethod = {
  name: "predict",
  maxInputs: 250,
  maxInputBytes: 20_000,
  write: (texts, { task_type: taskType, title, dimensions }) => ({
    instances: texts.map((content) => ({ content, ...(taskType != null && { task_type: taskType }), ...(title != null && { title }) })),
    ...(dimensions != null && { parameters: { outputDimensionality: dimensions } }),
  }),
};

/** The same page: this model takes one text per request. */
const PREDICT_ONE: EmbeddingMethod = { ...PREDICT, maxInputs: 1 };

/** Newer models at Vertex AI: https://github.com/googleapis/python-genai, `_EmbedContentParametersPrivate_to_vertex` */
const EMBED_CONTENT: EmbeddingMethod = {
  name: "embedContent",
  maxInputs: 1,
  write: ([text], fields) => {
    const config = toConfig(fields);
    return { content: toContent(text!), ...(Object.keys(config).length > 0 && { embedContentConfig: config }) };
  },
};

function toContent(text: string): Json {
  return { parts: [{ text }] };
}

function toConfig({ task_type: taskType, title, dimensions }: Json): Json {
  return {
    ...(taskType != null && { taskType }),
    ...(title != null && { title }),
    ...(dimensions != null && { outputDimensionality: dimensions }),
  };
}

/** Google's own clients go by the name of the model, too. */
function methodFor({ baseUrl }: RemoteSettings, upstreamModel: string): EmbeddingMethod {
  const path = new URL(baseUrl).pathname + pathOf(upstreamModel);
  if (!isVertex(path)) return BATCH;
  const version = /\/gemini-embedding-([^/]+)$/.exec(path)?.[1];
  if (version === undefined) return PREDICT;
  return version === "001" ? PREDICT_ONE : EMBED_CONTENT;
}

/** Only the paths of Vertex AI have publishers. */
function isVertex(path: string): boolean {
  return path.includes("/publishers/");
}

function toRequest(call: RelayedCall, settings: RemoteSettings): WireRequest {
  const { upstreamModel, credential } = call;
  const { texts, fields } = textsIn(call);
  const method = methodFor(settings, upstreamModel);
  const body = JSON.stringify(method.write(texts, fields, upstreamModel));
  return { path: `${pathOf(upstreamModel)}:${method.name}`, headers: headersFor(credential, "application/json"), body: [toByteText(body)] };
}

function readEmbeddings(text: string, call: RelayedCall): Completion {
  const answer = parseAnswer(text, JSON.parse);
  const error = errorIn(answer);
  if (error) throw geminiErrorInside(error);
  if (!isObject(answer)) throw unparsableResponse("not an object");
  const { vectors, promptTokens } = "predictions" in answer ? readPredictions(answer) : readContents(answer);
  return toEmbeddings(vectors, promptTokens, call);
}

/** Of `batchEmbedContents`, which counts tokens only for newer models, and of `embedContent`. */
function readContents({ embeddings, embedding, usageMetadata }: Json): ReadVectors {
  return {
    vectors: itemsOf(embeddings ?? [embedding]).map(({ values }) => values),
    promptTokens: fieldIn(usageMetadata, "promptTokenCount"),
  };
}

function readPredictions({ predictions }: Json): ReadVectors {
  const embeddings = itemsOf(predictions).map((prediction) => prediction["embeddings"]);
  const counts = embeddings.map((each) => fieldIn(fieldIn(each, "statistics"), "token_count"));
  return { vectors: embeddings.map((each) => fieldIn(each, "values")), promptTokens: sumOf(counts) };
}

function itemsOf(list: unknown): readonly Json[] {
  if (!Array.isArray(list) || !list.every(isObject)) throw unparsableResponse("no embeddings");
  return list;
}

function fieldIn(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

/** Undefined if a text was not counted. */
function sumOf(counts: readonly unknown[]): number | undefined {
  const isCounted = counts.every((count) => typeof count === "number" && count >= 0);
  return isCounted ? (counts as readonly number[]).reduce((sum, count) => sum + count, 0) : undefined;
}

/** Embeddings by the Gemini API and by Vertex AI. */
export const geminiEmbeddings: Relay = {
  ...EMBEDDINGS,
  terms: (relayed) => termsOfTexts(relayed, { dimensions: "pass", task_type: "pass", title: "pass" }),
  request: toRequest,
  readCompletion: readEmbeddings,
  maxInputs: (settings, upstreamModel) => methodFor(settings, upstreamModel).maxInputs,
  maxInputBytes: (settings, upstreamModel) => methodFor(settings, upstreamModel).maxInputBytes,
};
