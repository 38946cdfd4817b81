import { withField } from "../lib/json/json-text.ts";
import { ANYTHING, findViolation, isObject, type Schema, type Violation } from "../lib/schema/schema.ts";
import { usageFromWire, type ReceivedUsage, type Usage } from "../money/usage.ts";

/** OpenAI's embeddings: https://platform.openai.com/docs/api-reference/embeddings */

const MAX_INPUTS = 10_000;

const token = { type: "integer", minimum: 0 } as const satisfies Schema;

type Json = Readonly<Record<string, unknown>>;

export const embeddingsRequestSchema = {
  title: "EmbeddingsRequest",
  type: "object",
  description: "Fields that are not listed here travel on to the upstream as they are.",
  required: ["model", "input"],
  properties: {
    model: { type: "string", minLength: 1, description: "Id of the model to call." },
    input: {
      oneOf: [
        { type: "string", minLength: 1 },
        {
          type: "array",
          minItems: 1,
          // Tokens of one text, too.
          items: { oneOf: [{ type: "string" }, token, { type: "array", minItems: 1, items: token }] },
        },
      ],
      description: `A text, up to ${MAX_INPUTS} texts, or their tokens.`,
    },
    dimensions: {
      type: "integer",
      nullable: true,
      minimum: 1,
      description: "The length of the vectors, for models that can shorten them.",
    },
    encoding_format: { type: "string", nullable: true, enum: ["float", "base64"], description: "Default: `float`." },
    user: { type: "string", nullable: true },
  },
} as const satisfies Schema;

/** The first violation in a request body, or undefined. */
export function findEmbeddingsViolation(body: unknown): Violation | undefined {
  return findViolation(embeddingsRequestSchema, body) ?? findInInputs((body as Json)["input"]);
}

/** A list has either the tokens of one text or inputs, and not too many: each may be a call to an upstream that takes one at a time. */
function findInInputs(input: unknown): Violation | undefined {
  if (!Array.isArray(input)) return undefined;
  const isTokens = typeof input[0] === "number";
  const other = input.findIndex((each) => (typeof each === "number") !== isTokens);
  if (other >= 0) return { problem: "invalid", path: ["input", other], message: "must be of the same type as the first input" };
  if (isTokens || input.length <= MAX_INPUTS) return undefined;
  return { problem: "invalid", path: ["input"], message: `must have at most ${MAX_INPUTS} texts` };
}

/** One text, or its tokens. */
export type EmbeddingInput = string | readonly number[];

/** The inputs of a request, however they are written. */
export function inputsOf(input: unknown): readonly EmbeddingInput[] {
  if (typeof input === "string") return [input];
  const list = input as readonly (EmbeddingInput | number)[];
  return typeof list[0] === "number" ? [list as readonly number[]] : (list as readonly EmbeddingInput[]);
}

export const embeddingsResponseSchema = {
  title: "EmbeddingsResponse",
  type: "object",
  required: ["object", "data", "model", "usage"],
  properties: {
    object: { type: "string", enum: ["list"] },
    data: {
      type: "array",
      items: {
        title: "Embedding",
        type: "object",
        required: ["object", "index", "embedding"],
        properties: {
          object: { type: "string", enum: ["embedding"] },
          index: { type: "integer" },
          embedding: {
            oneOf: [{ type: "array", items: { type: "number" } }, { type: "string" }],
            description: "The vector: numbers, or with `encoding_format: base64` 32-bit floats in little-endian order.",
          },
        },
      },
    },
    model: { type: "string" },
    usage: {
      title: "EmbeddingsUsage",
      type: "object",
      required: ["prompt_tokens", "total_tokens"],
      properties: { prompt_tokens: { type: "integer" }, total_tokens: { type: "integer" } },
    },
    error: ANYTHING,
  },
} as const satisfies Schema;

/** The gateway counts what an upstream has not counted. */
export const uncountedEmbeddingsSchema = { ...embeddingsResponseSchema, required: ["data"] } as const satisfies Schema;

/** Embeddings have no output tokens. Some servers count nothing, and a text of no tokens does not exist. */
export function usageFromEmbeddings(wire: unknown): Usage | undefined {
  const { prompt_tokens: prompt, total_tokens: total } = isObject(wire) ? wire : {};
  const usage = usageFromWire({ prompt_tokens: prompt ?? total, completion_tokens: 0 });
  return usage && usage.promptTokens > 0 ? usage : undefined;
}

export function usageToEmbeddings({ promptTokens }: Usage): { readonly prompt_tokens: number; readonly total_tokens: number } {
  return { prompt_tokens: promptTokens, total_tokens: promptTokens };
}

/** A response with these token counts. */
export function withEmbeddingsUsage(body: string, usage: Usage): string {
  return withField(body, "usage", JSON.stringify(usageToEmbeddings(usage)));
}

/** Inputs of a batch, by their positions. */
export interface InputRange {
  readonly from: number;
  readonly to: number;
}

/** The most that an upstream takes in one request for embeddings. */
export interface PartLimit {
  readonly inputs: number;
  readonly bytes?: number | undefined;
}

/** A response, and its counts if the upstream has counted. */
interface EmbeddingsReply extends ReceivedUsage {
  readonly body: string;
}

/**
 * The vectors of a batch that is sent in parts. Parts that have succeeded are kept when another one fails, so that the next attempt sends only
 * the rest, and the request pays for each input once.
 */
export class CollectedEmbeddings implements ReceivedUsage {
  readonly uncountedBytes = 0;
  readonly #items: (Json | undefined)[];
  #promptTokens = 0;
  #isUncounted = false;

  constructor(count: number) {
    this.#items = Array.from({ length: count });
  }

  /** The counts of all parts so far. Undefined if there are none, or a part was not counted. */
  get usage(): Usage | undefined {
    if (this.#isUncounted || this.#promptTokens === 0) return undefined;
    return { promptTokens: this.#promptTokens, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  }

  /** The share of the inputs that have a vector. */
  get share(): number {
    return this.#items.filter((item) => item !== undefined).length / this.#items.length;
  }

  /** The inputs without a vector, in parts that an upstream takes. An input that is too long for every part is a part of its own. */
  missing({ inputs, bytes = Infinity }: PartLimit, bytesOf: (position: number) => number = () => 0): InputRange[] {
    const ranges: InputRange[] = [];
    let from = this.#nextMissing(0);
    while (from < this.#items.length) {
      let to = from + 1;
      let left = bytes - bytesOf(from);
      while (to < this.#items.length && to - from < inputs && this.#items[to] === undefined && (left -= bytesOf(to)) >= 0) to++;
      ranges.push({ from, to });
      from = this.#nextMissing(to);
    }
    return ranges;
  }

  add({ from }: InputRange, { body, usage }: EmbeddingsReply): void {
    const { data } = JSON.parse(body) as { readonly data: readonly Json[] };
    for (const [at, item] of data.entries()) this.#items[from + at] = { ...item, index: from + at };
    if (usage) this.#promptTokens += usage.promptTokens;
    else this.#isUncounted = true;
  }

  /** The response to the whole batch. */
  completion(model: string): EmbeddingsReply {
    const { usage } = this;
    const body = { object: "list", data: this.#items, model, ...(usage && { usage: usageToEmbeddings(usage) }) };
    return { body: JSON.stringify(body), usage, uncountedBytes: 0 };
  }

  #nextMissing(from: number): number {
    let at = from;
    while (at < this.#items.length && this.#items[at] !== undefined) at++;
    return at;
  }
}
