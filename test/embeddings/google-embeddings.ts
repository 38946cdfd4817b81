import { googleError, type GoogleCloud } from "../clouds/google-cloud.ts";
import { tokensOf } from "./embeddings-server.ts";
import { isText, startEmbeddingsApi, unknownField, type Embedded, type EmbeddingsApi, type Json } from "./embeddings-api.ts";

export const GEMINI_CREDENTIAL = "gemini-embeddings-canary";

/** The Gemini API: https://ai.google.dev/api/embeddings. Newer models count tokens. */
export function startGeminiEmbeddings(): EmbeddingsApi {
  return startEmbeddingsApi((request, path, body) => {
    if (request.headers.get("x-goog-api-key") !== GEMINI_CREDENTIAL) return googleError(403, "PERMISSION_DENIED", "API key not valid.");
    const [, model] = /^\/v1beta\/models\/([\w.-]+):batchEmbedContents$/.exec(path) ?? [];
    if (model === undefined) return googleError(404, "NOT_FOUND", "Not found");
    const { requests } = body as { requests: Json[] };
    if (unknownField(body, ["requests"]) !== undefined) return invalid("a field");
    if (requests.length > 100) return invalid("at most 100 requests can be in one batch");
    const problem = requests.map((each) => problemOfRequest(each, model)).find((each) => each !== undefined);
    if (problem !== undefined) return invalid(problem);
    return {
      texts: requests.map(({ content }) => textIn(content)!),
      dimensions: requests[0]!["outputDimensionality"],
      write: (vectors, tokens) => ({
        embeddings: vectors.map((values) => ({ values })),
        ...(model === "gemini-embedding-2" && { usageMetadata: { promptTokenCount: sum(tokens) } }),
      }),
    };
  });
}

function problemOfRequest(request: Json, model: string): string | undefined {
  const unknown = unknownField(request, ["model", "content", "taskType", "title", "outputDimensionality"]);
  if (unknown !== undefined) return `Unknown name "${unknown}"`;
  if (request["model"] !== `models/${model}`) return "model must match the model specified in the request URI";
  return textIn(request["content"]) === undefined ? "content is empty" : undefined;
}

/** The text of a content, if it has nothing else. */
function textIn(content: unknown): string | undefined {
  const { parts } = (content ?? {}) as { parts?: readonly { text?: unknown }[] };
  const text = parts?.[0]?.text;
  return isText(text) && Bun.deepEquals(content, { parts: [{ text }] }) ? text : undefined;
}

const VERTEX_PATH = "/v1/projects/acme-prod/locations/europe-west4/publishers/google";

export function vertexBaseUrl({ origin }: EmbeddingsApi): string {
  return origin + VERTEX_PATH;
}

/** Vertex AI: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
export function startVertexEmbeddings(cloud: GoogleCloud): EmbeddingsApi {
  return startEmbeddingsApi((request, path, body) => {
    if (!cloud.accepts(request.headers.get("authorization"))) return googleError(401, "UNAUTHENTICATED", "Invalid credentials.");
    const [, model = "", method] = new RegExp(`^${VERTEX_PATH}/models/([\\w.-]+):(predict|embedContent)$`).exec(path) ?? [];
    const expected = model.startsWith("gemini-embedding-2") ? "embedContent" : "predict";
    if (method !== expected) return googleError(404, "NOT_FOUND", `${path} is not supported`);
    return method === "predict" ? readPredict(body, model) : readEmbedContent(body);
  });
}

function readPredict(body: Json, model: string): Embedded | Response {
  const { instances, parameters = {} } = body as { instances: Json[]; parameters?: Json };
  const unknown =
    unknownField(body, ["instances", "parameters"]) ??
    unknownField(parameters, ["outputDimensionality", "autoTruncate"]) ??
    instances.map((each) => unknownField(each, ["content", "task_type", "title"])).find((name) => name !== undefined);
  if (unknown !== undefined) return invalid(`Unknown name "${unknown}"`);
  const texts = instances.map(({ content }) => content);
  if (!texts.every(isText)) return invalid("content is empty");
  const most = model === "gemini-embedding-001" ? 1 : 250;
  if (texts.length > most) return invalid(`${texts.length} instance(s) is more than the maximum of ${most}`);
  if (sum(texts.map(tokensOf)) > 20_000) return invalid("Unable to submit request because the input token count is over 20000");
  return {
    texts,
    dimensions: parameters["outputDimensionality"],
    write: (vectors, tokens) => ({
      predictions: vectors.map((values, at) => ({ embeddings: { statistics: { truncated: false, token_count: tokens[at] }, values } })),
    }),
  };
}

function readEmbedContent(body: Json): Embedded | Response {
  const { content, embedContentConfig: config = {} } = body as { content: unknown; embedContentConfig?: Json };
  const unknown =
    unknownField(body, ["content", "embedContentConfig"]) ?? unknownField(config, ["taskType", "title", "outputDimensionality"]);
  if (unknown !== undefined) return invalid(`Unknown name "${unknown}"`);
  const text = textIn(content);
  if (text === undefined) return invalid("content is empty");
  return {
    texts: [text],
    dimensions: config["outputDimensionality"],
    write: ([values], tokens) => ({ embedding: { values }, usageMetadata: { promptTokenCount: sum(tokens) }, truncated: false }),
  };
}

function invalid(message: string): Response {
  return googleError(400, "INVALID_ARGUMENT", message);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((one, other) => one + other, 0);
}
