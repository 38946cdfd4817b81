import { isObject } from "../../lib/schema/schema.ts";
import { toByteText } from "../../lib/text/byte-text.ts";
import type { ParameterPolicy } from "../../models/parameters/parameter-policy.ts";
import type { Relay, WireRequest } from "../dialect.ts";
import type { HeadersRead } from "../egress/headers-read.ts";
import { EMBEDDINGS, termsOfTexts, textsIn, toEmbeddings } from "../embeddings.ts";
import { parseAnswer, unparsableResponse } from "../refusal.ts";
import type { RelayedCall } from "../upstream.ts";

type Json = Readonly<Record<string, unknown>>;

/** The models of one maker, which have their own format at `InvokeModel`. */
interface EmbeddingFamily {
  /** The upstream names of its models: IDs, inference profiles (`us.cohere.embed-…`), and ARNs that name the model. */
  readonly models: RegExp;
  /** The fields that its models take, besides the texts. */
  readonly fields: ParameterPolicy;
  readonly maxInputs: number;
  write(texts: readonly string[], fields: Json): Json;
  vectorsIn(answer: Json): readonly unknown[];
  tokensIn(answer: Json, headers: HeadersRead): unknown;
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
const TITAN: EmbeddingFamily = {
  models: /\bamazon\.titan-embed-text-/,
  fields: { dimensions: "pass", normalize: "pass" },
  maxInputs: 1,
  write: ([inputText], { dimensions, normalize }) => ({ inputText, dimensions, normalize }),
  vectorsIn: ({ embedding }) => [embedding],
  tokensIn: ({ inputTextTokenCount }) => inputTextTokenCount,
};

/** The same page: the first generation has no parameters. */
const FIRST_TITAN: EmbeddingFamily = {
  ...TITAN,
  models: /\bamazon\.titan-embed-(?:g1-text|text-v1\b)/,
  fields: { dimensions: "refuse" },
};

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v4.html */
const COHERE: EmbeddingFamily = {
  models: /\bcohere\.embed-/,
  fields: { dimensions: "pass", input_type: "pass", truncate: "pass" },
  maxInputs: 96,
  write: (texts, { dimensions, input_type: inputType = "search_document", truncate }) => ({
    texts,
    input_type: inputType,
    embedding_types: ["float"],
    output_dimension: dimensions,
    truncate,
  }),
  vectorsIn: ({ embeddings }) => listIn(isObject(embeddings) ? embeddings["float"] : embeddings),
  // Cohere's own API has the count in the body.
  tokensIn: (_answer, headers) => Number(headers.get("x-amzn-bedrock-input-token-count")),
};

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v3.html */
const COHERE_V3: EmbeddingFamily = {
  ...COHERE,
  models: /\bcohere\.embed-(?:english|multilingual)-/,
  fields: { dimensions: "refuse", input_type: "pass", truncate: "pass" },
};

/** The first match decides: models that are not known yet are taken for the latest of their maker. */
const FAMILIES = [FIRST_TITAN, TITAN, COHERE_V3, COHERE];

function findFamily(upstreamModel: string): EmbeddingFamily | undefined {
  return FAMILIES.find(({ models }) => models.test(upstreamModel));
}

/** Only called for models that a family takes. */
function familyOf(upstreamModel: string): EmbeddingFamily {
  return findFamily(upstreamModel)!;
}

function listIn(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw unparsableResponse("no embeddings");
  return value;
}

/** The body of `InvokeModel`. The model is in the path. */
export function toEmbeddingsBody(call: RelayedCall): WireRequest["body"] {
  const { texts, fields } = textsIn(call);
  return [toByteText(JSON.stringify(familyOf(call.upstreamModel).write(texts, fields)))];
}

/** Embeddings by Amazon Titan and Cohere. */
export const bedrockEmbeddings: Omit<Relay, "request"> = {
  ...EMBEDDINGS,
  takes: (_settings, upstreamModel) => findFamily(upstreamModel) !== undefined,
  terms: (relayed, upstreamModel) => termsOfTexts(relayed, familyOf(upstreamModel).fields),
  readCompletion(text, call, headers) {
    const answer = parseAnswer(text, JSON.parse);
    if (!isObject(answer)) throw unparsableResponse("not an object");
    const family = familyOf(call.upstreamModel);
    return toEmbeddings(family.vectorsIn(answer), family.tokensIn(answer, headers), call);
  },
  maxInputs: (_settings, upstreamModel) => familyOf(upstreamModel).maxInputs,
};
