import type { ReadEmbeddings } from "./read-response.ts";
import { mustReject, NO_MODEL, type Finding } from "./checks.ts";
import type { EmbeddingsTest, ExaminedModel } from "./examined-model.ts";

/** Two short texts that no model takes for the same. */
const TEXTS = ["The cat sleeps on the sofa.", "Interest rates rose by half a percent."] as const;

const AS_NUMBERS: EmbeddingsTest = { input: TEXTS, encoding_format: "float" };

export async function checkEmbeddings(model: ExaminedModel): Promise<Finding> {
  const embeddings = await model.embed(AS_NUMBERS);
  if (embeddings.flaw !== undefined) return { outcome: "failed", detail: embeddings.flaw };
  model.embeddings = embeddings;
  const [first, second] = embeddings.vectors;
  if (isSame(first!, second!)) return { outcome: "warned", detail: "two different texts have the same vector" };
  return { outcome: "passed", detail: `${embeddings.vectors.length} vectors of length ${first!.length}` };
}

/** The texts in the other order must have their vectors in the other order, or documents get the vectors of others. */
export async function checkOrder(model: ExaminedModel): Promise<Finding> {
  const { vectors, flaw } = await model.embed({ ...AS_NUMBERS, input: TEXTS.toReversed() });
  if (flaw !== undefined) return { outcome: "failed", detail: flaw };
  const [first, second] = model.embeddings!.vectors;
  if (isSame(first!, vectors[1]!) && isSame(second!, vectors[0]!))
    return { outcome: "passed", detail: "each text has its vector, in another order too" };
  if (isSame(first!, vectors[0]!) && isSame(second!, vectors[1]!))
    return { outcome: "failed", detail: "the vectors are not in the order of the texts" };
  return { outcome: "warned", detail: "the same text has another vector in another order" };
}

/** The official SDKs ask for base64. */
export async function checkBase64(model: ExaminedModel): Promise<Finding> {
  const { vectors, flaw } = await model.embed({ ...AS_NUMBERS, encoding_format: "base64" });
  if (flaw !== undefined) return { outcome: "failed", detail: flaw };
  if (!vectors.every((vector, at) => isSame(vector, model.embeddings!.vectors[at]!)))
    return { outcome: "failed", detail: "base64 has other vectors than numbers" };
  if (model.deviations.has("embedding_encoding")) {
    return { outcome: "warned", detail: "the upstream ignores encoding_format, so that its vectors are converted" };
  }
  return { outcome: "passed", detail: "the same vectors as base64" };
}

/** Checks the token count of the first response: without it, charges are estimated. */
export async function checkEmbeddingsUsage({ embeddings }: ExaminedModel): Promise<Finding> {
  const usage = embeddings?.usage;
  if (!usage) return { outcome: "failed", detail: "no token counts, so charges are estimated" };
  return { outcome: "passed", detail: `${usage.promptTokens} tokens for ${TEXTS.length} texts` };
}

export function checkEmbeddingsError(model: ExaminedModel): Promise<Finding> {
  return mustReject(() => model.embed(AS_NUMBERS, NO_MODEL));
}

/** Servers compute in low precision, and the vectors of one text differ a little between two calls. */
const SAME = 0.999;

/** Whether two vectors have the same length and direction. */
function isSame(one: ReadEmbeddings["vectors"][number], other: ReadEmbeddings["vectors"][number]): boolean {
  return one.length === other.length && product(one, other) > SAME * Math.sqrt(product(one, one) * product(other, other));
}

function product(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * other[at]!, 0);
}
