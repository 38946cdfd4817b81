import { skipSpace, topLevelFields, withField } from "../lib/json/json-text.ts";
import { toByteText, type ByteText } from "../lib/text/byte-text.ts";
import type { ParameterPolicy } from "../models/parameters/parameter-policy.ts";
import {
  inputsOf,
  usageFromEmbeddings,
  usageToEmbeddings,
  type CollectedEmbeddings,
  type EmbeddingInput,
  type InputRange,
  type PartLimit,
} from "../requests/embeddings-api.ts";
import { rewriteText } from "../requests/chat-request.ts";
import { mappedBody } from "../requests/map-parameters.ts";
import type { Relay } from "./dialect.ts";
import { parseAnswer, readError, refusalInside, unparsableResponse } from "./refusal.ts";
import { unsupportedParameter } from "./unsupported-parameter.ts";
import type { Completion, RelayedCall, RelayedRequest, RelayTerms } from "./upstream.ts";

type Json = Readonly<Record<string, unknown>>;

/** The parts of a relay of embeddings that have nothing to do with the API of the upstream. */
export const EMBEDDINGS: Pick<Relay, "readEvents" | "rejectsReasoning" | "errorIn"> = {
  readEvents() {
    throw unparsableResponse("a stream of embeddings");
  },
  rejectsReasoning: () => false,
  errorIn: () => undefined,
};

/** What an API in another format takes of a request: texts, and these fields. */
export function termsOfTexts(relayed: RelayedRequest, fields: ParameterPolicy): RelayTerms {
  requireTexts(relayed);
  return { rules: { byName: { input: "pass", encoding_format: "pass", ...fields }, others: "drop" }, droppedParts: [] };
}

/** Rejects tokens, which only the models with the same tokenizer can read. */
export function requireTexts({ outline }: RelayedRequest): void {
  if (!inputsOf(outline["input"]).every(isText)) throw unsupportedParameter(["input"], "must be text for this model");
}

function isText(input: EmbeddingInput): input is string {
  return typeof input === "string";
}

/** The texts of a request, and its other fields for an API in another format. */
export function textsIn({ relayed, parameterMapping }: RelayedCall): { readonly texts: readonly string[]; readonly fields: Json } {
  const { body } = relayed;
  return { texts: inputsOf(body["input"]).filter(isText), fields: mappedBody(body, parameterMapping) };
}

/** How many inputs a request has, without parsing long texts. */
export function inputCountOf({ outline }: RelayedRequest): number {
  return inputsOf(outline["input"]).length;
}

/**
 * Relays a response in OpenAI's format. Vectors are not parsed: a batch has megabytes of them. Their number is checked, because a missing one
 * would shift all others to the wrong texts.
 */
export function relayEmbeddings(text: string, call: RelayedCall): Completion {
  const body = text as ByteText;
  const fields = new Map(topLevelFields(body).map(({ key, valueStart, valueEnd }) => [key, text.slice(valueStart, valueEnd)]));
  const error = fields.get("error");
  if (error !== undefined && error !== "null") throw refusalInside(readError(parseAnswer(error, JSON.parse)));
  const data = fields.get("data");
  if (!data?.startsWith("[")) throw unparsableResponse("no embeddings");
  if (!data.endsWith("]") || !text.trimEnd().endsWith("}")) throw unparsableResponse("an answer that is cut off");
  const expected = inputCountOf(call.relayed);
  const count = vectorCountIn(data);
  if (count !== expected) throw unparsableResponse(`${count} embeddings for ${expected} inputs`);
  const usage = usageFromEmbeddings(parseAnswer(fields.get("usage") ?? "null", JSON.parse));
  if (!usage) call.report("usage_missing");
  const encoded = isEncodedAsAsked(data, call.relayed) ? text : encodedAsAsked(text, call);
  return { body: withField(encoded, "model", JSON.stringify(call.model)), usage, uncountedBytes: 0 };
}

const NAME = '"embedding"';

function vectorCountIn(data: string): number {
  let count = 0;
  for (let at = data.indexOf(NAME); at >= 0; at = data.indexOf(NAME, at + NAME.length)) {
    if (data[skipSpace(data, at + NAME.length)] === ":") count++;
  }
  return count;
}

function isBase64Asked({ outline }: RelayedRequest): boolean {
  return outline["encoding_format"] === "base64";
}

/** Some servers ignore `encoding_format`. The official JavaScript SDK asks for base64, and reads numbers as if they were that. */
function isEncodedAsAsked(data: string, relayed: RelayedRequest): boolean {
  const name = /"embedding"\s*:\s*(.)/.exec(data);
  return (name?.[1] === '"') === isBase64Asked(relayed);
}

function encodedAsAsked(text: string, call: RelayedCall): string {
  call.report("embedding_encoding");
  const whole = parseAnswer(text, JSON.parse) as Json;
  const data = (whole["data"] as readonly Json[]).map((item) => ({ ...item, embedding: encodedVector(toVector(item["embedding"]), call) }));
  return JSON.stringify({ ...whole, data });
}

/** The numbers of a vector. */
export function toVector(value: unknown): readonly number[] {
  if (typeof value !== "string") return requireNumbers(value);
  const bytes = Buffer.from(value, "base64");
  const floats = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = Math.floor(bytes.byteLength / FLOAT_BYTES);
  return requireNumbers(Array.from({ length }, (_, at) => floats.getFloat32(at * FLOAT_BYTES, true)));
}

function requireNumbers(value: unknown): readonly number[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(Number.isFinite))
    throw unparsableResponse("an embedding without numbers");
  return value as number[];
}

const FLOAT_BYTES = 4;

function encodedVector(vector: readonly number[], { relayed }: RelayedCall): readonly number[] | string {
  if (!isBase64Asked(relayed)) return vector;
  const bytes = new DataView(new ArrayBuffer(vector.length * FLOAT_BYTES));
  vector.forEach((value, at) => bytes.setFloat32(at * FLOAT_BYTES, value, true));
  return Buffer.from(bytes.buffer).toString("base64");
}

/** A response with these vectors, from an API in another format. `promptTokens`: as the API reports them, if it does. */
export function toEmbeddings(vectors: readonly unknown[], promptTokens: unknown, call: RelayedCall): Completion {
  const usage = usageFromEmbeddings({ prompt_tokens: promptTokens });
  const expected = inputCountOf(call.relayed);
  if (vectors.length !== expected) throw unparsableResponse(`${vectors.length} embeddings for ${expected} inputs`);
  if (!usage) call.report("usage_missing");
  const data = vectors.map((vector, index) => ({ object: "embedding", index, embedding: encodedVector(requireNumbers(vector), call) }));
  const body = { object: "list", data, model: call.model, ...(usage && { usage: usageToEmbeddings(usage) }) };
  return { body: JSON.stringify(body), usage, uncountedBytes: 0 };
}

/** A part of a request: some of its inputs. */
function partOf(relayed: RelayedRequest, { from, to }: InputRange): RelayedRequest {
  const input = inputsOf(relayed.body["input"]).slice(from, to);
  const byteText = rewriteText(relayed, { input: toByteText(JSON.stringify(input)) }, undefined).join("") as ByteText;
  const outline = { ...relayed.outline, input };
  const { relayedAs, formatHeaders, model, stream } = relayed;
  const part = { relayedAs, formatHeaders, model, stream, byteText, outline, outlineText: byteText, body: outline };
  return { ...part, fields: topLevelFields(byteText), text: Buffer.from(byteText, "latin1").toString() };
}

/** The parts of one batch that are in flight. */
const PARTS_AT_ONCE = 4;

/** The inputs without a vector, in parts that an upstream takes. */
export function missingParts(collected: CollectedEmbeddings, relayed: RelayedRequest, limit: PartLimit): readonly InputRange[] {
  if (limit.bytes === undefined) return collected.missing(limit);
  const inputs = inputsOf(relayed.body["input"]);
  return collected.missing(limit, (position) => Buffer.byteLength(inputs[position] as string));
}

/** Requests these parts of a batch. Throws the first failure, after all parts in flight have ended. */
export async function collect(
  collected: CollectedEmbeddings,
  call: RelayedCall,
  parts: readonly InputRange[],
  complete: (call: RelayedCall) => Promise<Completion>,
): Promise<void> {
  const ranges = [...parts];
  const failures: unknown[] = [];
  async function work(): Promise<void> {
    while (failures.length === 0) {
      const range = ranges.shift();
      if (!range) return;
      try {
        collected.add(range, await complete({ ...call, relayed: partOf(call.relayed, range) }));
      } catch (error) {
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, work));
  if (failures.length > 0) throw failures[0];
}
