import { isRefusal, type AwsCloud } from "../clouds/aws-cloud.ts";
import { refusal } from "../dialects/converse-server.ts";
import { isText, startEmbeddingsApi, unknownField, type Embedded, type EmbeddingsApi, type Json } from "./embeddings-api.ts";

/** `InvokeModel` of Bedrock for models for embeddings. `shape`: how Cohere's models write their vectors. */
export function startBedrockEmbeddings(cloud: AwsCloud, region: string, shape: { ofCohere: "list" | "by_type" }): EmbeddingsApi {
  return startEmbeddingsApi(async (request, path, body, bytes) => {
    const verdict = await cloud.verify(request, bytes, "bedrock", region);
    if (isRefusal(verdict)) return refusal(403, "InvalidSignatureException", verdict.message);
    const [, segment = ""] = /^\/model\/([^/]+)\/invoke$/.exec(path) ?? [];
    const model = decodeURIComponent(segment).split("/").at(-1)!;
    if (request.headers.get("accept") !== "application/json") return invalid("accept");
    if (/^(?:us\.|eu\.|global\.)?amazon\.titan-embed-text-v[12]/.test(model)) return readTitan(body, model);
    if (/^(?:us\.|eu\.|global\.)?cohere\.embed-/.test(model)) return readCohere(body, model, shape.ofCohere);
    return invalid("The provided model identifier is invalid.");
  });
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
function readTitan(body: Json, model: string): Embedded | Response {
  const { inputText, dimensions, normalize = true } = body;
  const unknown = unknownField(body, model.includes("-v1") ? ["inputText"] : ["inputText", "dimensions", "normalize", "embeddingTypes"]);
  if (unknown !== undefined) return invalid(`#: extraneous key [${unknown}] is not permitted`);
  if (!isText(inputText)) return invalid("#/inputText: expected type: String");
  if (dimensions !== undefined && ![256, 512, 1024].includes(dimensions as number)) return invalid("#/dimensions: not a valid enum value");
  if (typeof normalize !== "boolean") return invalid("#/normalize: expected type: Boolean");
  return {
    texts: [inputText],
    dimensions,
    write: ([embedding], [count]) => ({ embedding, inputTextTokenCount: count, embeddingsByType: { float: embedding } }),
  };
}

const INPUT_TYPES: ReadonlySet<unknown> = new Set(["search_document", "search_query", "classification", "clustering"]);

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html. The count of tokens is in a header. */
function readCohere(body: Json, model: string, shape: "list" | "by_type"): Embedded | Response {
  const { texts, input_type: type, embedding_types: types, output_dimension: dimensions } = body;
  const known = [
    "texts",
    "input_type",
    "embedding_types",
    "truncate",
    ...(model.includes("-v4") ? ["output_dimension", "max_tokens"] : []),
  ];
  const unknown = unknownField(body, known);
  if (unknown !== undefined) return invalid(`#: extraneous key [${unknown}] is not permitted`);
  if (!Array.isArray(texts) || !texts.every(isText) || texts.length > 96) return invalid("#/texts: expected maximum item count: 96");
  if (!INPUT_TYPES.has(type)) return invalid("#: required key [input_type] not found");
  if (!Bun.deepEquals(types, ["float"])) return invalid("#/embedding_types");
  return {
    texts,
    dimensions,
    write: (vectors) =>
      shape === "list"
        ? { id: "e", response_type: "embeddings_floats", embeddings: vectors, texts }
        : { id: "e", response_type: "embeddings_by_type", embeddings: { float: vectors }, texts },
    headers: (tokens) => ({ "x-amzn-bedrock-input-token-count": String(tokens) }),
  };
}

function invalid(message: string): Response {
  return refusal(400, "ValidationException", `Malformed input request: ${message}`);
}
