import { chunkSchema, uncountedCompletionSchema } from "../../requests/chat-completion.ts";
import { uncountedEmbeddingsSchema } from "../../requests/embeddings-api.ts";
import { findViolation, formatPath, isObject, type Schema } from "../../lib/schema/schema.ts";
import type { Usage } from "../../money/usage.ts";
import { toVector } from "../embeddings.ts";

/** The parts of a response that checks look at, whether it was JSON or a stream. */
export interface ReadResponse {
  readonly text: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finishReason: string | undefined;
  /** The number of chunks. */
  readonly pieces: number;
  readonly usage: Usage | undefined;
  /** The first violation of the format that some client would fail on. */
  readonly flaw: string | undefined;
}

interface Message {
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly index?: number; readonly function?: Readonly<Record<string, unknown>> }[];
}

export function readCompletion(body: string, usage: Usage | undefined): ReadResponse {
  const completion: unknown = JSON.parse(body);
  return { ...join([completion], "message"), usage, flaw: flawIn(completion, uncountedCompletionSchema) };
}

export function readChunks(texts: readonly string[], usage: Usage | undefined): ReadResponse {
  const chunks = texts.map((text): unknown => JSON.parse(text));
  return { ...join(chunks, "delta"), usage, flaw: chunks.map((chunk) => flawIn(chunk, chunkSchema)).find((flaw) => flaw !== undefined) };
}

/** The vectors of a response, in its order. */
export interface ReadEmbeddings {
  readonly vectors: readonly (readonly number[])[];
  readonly usage: Usage | undefined;
  /** The first property of the response that breaks clients or makes its vectors useless. */
  readonly flaw: string | undefined;
}

export function readEmbeddings(body: string, usage: Usage | undefined): ReadEmbeddings {
  const response: unknown = JSON.parse(body);
  const flaw = flawIn(response, uncountedEmbeddingsSchema);
  if (flaw !== undefined) return { vectors: [], usage, flaw };
  const { data } = response as { readonly data: readonly { readonly index: number; readonly embedding: unknown }[] };
  const vectors = data.map(({ embedding }) => toVector(embedding));
  return { vectors, usage, flaw: flawInOrder(data) ?? flawInVectors(vectors) };
}

function flawInOrder(data: readonly { readonly index: number }[]): string | undefined {
  const misplaced = data.findIndex(({ index }, at) => index !== at);
  return misplaced < 0 ? undefined : `data[${misplaced}].index is ${data[misplaced]!.index}`;
}

function flawInVectors(vectors: readonly (readonly number[])[]): string | undefined {
  const lengths = new Set(vectors.map(({ length }) => length));
  if (lengths.size > 1) return `the vectors have different lengths: ${[...lengths].join(" and ")}`;
  return vectors.some((vector) => vector.every((value) => value === 0)) ? "a vector has only zeros" : undefined;
}

/** Joins the first choice. */
function join(bodies: readonly unknown[], part: "message" | "delta"): Pick<ReadResponse, "text" | "toolCalls" | "finishReason" | "pieces"> {
  let text = "";
  let finishReason: string | undefined;
  const toolCalls: { name: string; arguments: string }[] = [];
  for (const choice of bodies.flatMap(firstChoices)) {
    const message = (choice[part] ?? {}) as Message;
    text += textIn(message.content);
    message.tool_calls?.forEach((call, at) => {
      const joined = (toolCalls[call.index ?? at] ??= { name: "", arguments: "" });
      joined.name += textIn(call.function?.["name"]);
      joined.arguments += textIn(call.function?.["arguments"]);
    });
    finishReason ??= textIn(choice["finish_reason"]) || undefined;
  }
  return { text, toolCalls, finishReason, pieces: bodies.length };
}

function firstChoices(body: unknown): Record<string, unknown>[] {
  const choices = isObject(body) && Array.isArray(body["choices"]) ? body["choices"] : [];
  return choices.filter((choice) => isObject(choice) && choice["index"] === 0);
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function flawIn(body: unknown, schema: Schema): string | undefined {
  const violation = findViolation(schema, body);
  return violation && `${formatPath(violation.path) || "the response"} ${violation.message}`;
}
