import { ANYTHING, type Schema } from "../lib/schema/schema.ts";
import { usageSchema } from "../money/usage.ts";

/** Response schemas: `openapi/gateway.json` publishes them, and conformance tests check replies against them. */

const finalReasonSchema = {
  type: "string",
  description: "Why generation ended: `stop`, `length`, `tool_calls`, `content_filter`.",
} as const satisfies Schema;

const finishReasonSchema = {
  type: "string",
  nullable: true,
  description: "Why generation ended: `stop`, `length`, `tool_calls`, `content_filter`; null on chunks before the last.",
} as const satisfies Schema;

/** Passed on unchanged: the gateway does not read or repair these fields, so the document does not promise a type. */
const refusalSchema = {
  ...ANYTHING,
  description: "Why the model refused to answer: a string, if the upstream follows OpenAI's format.",
} as const satisfies Schema;
const logprobsSchema = {
  ...ANYTHING,
  description: "Log probabilities of the tokens: an object, if the upstream follows OpenAI's format.",
} as const satisfies Schema;

const repliedToolCallSchema = {
  title: "RepliedToolCall",
  type: "object",
  required: ["id", "type"],
  properties: {
    id: { type: "string" },
    type: { type: "string" },
    function: {
      title: "RepliedFunctionCall",
      type: "object",
      required: ["name", "arguments"],
      properties: { name: { type: "string" }, arguments: { type: "string", description: "JSON, as text." } },
    },
  },
} as const satisfies Schema;

const repliedMessageSchema = {
  title: "RepliedMessage",
  type: "object",
  required: ["role", "content"],
  properties: {
    role: { type: "string", enum: ["assistant"] },
    content: { type: "string", nullable: true },
    refusal: refusalSchema,
    tool_calls: { type: "array", nullable: true, items: repliedToolCallSchema },
    reasoning_content: { type: "string", nullable: true },
  },
} as const satisfies Schema;

const choiceSchema = {
  title: "Choice",
  type: "object",
  required: ["index", "message", "finish_reason"],
  properties: { index: { type: "integer" }, message: repliedMessageSchema, logprobs: logprobsSchema, finish_reason: finalReasonSchema },
} as const satisfies Schema;

const COMPLETION_FIELDS = ["id", "object", "created", "model", "choices"];

export const completionSchema = {
  title: "ChatCompletionResponse",
  type: "object",
  required: [...COMPLETION_FIELDS, "usage"],
  properties: {
    id: { type: "string" },
    object: { type: "string", enum: ["chat.completion"] },
    created: { type: "integer", description: "Unix seconds." },
    model: { type: "string", description: "The requested model." },
    choices: { type: "array", items: choiceSchema },
    usage: usageSchema,
  },
} as const satisfies Schema;

/** A completion before Tollgate has estimated the tokens that its upstream did not count. */
export const uncountedCompletionSchema = { ...completionSchema, required: COMPLETION_FIELDS } as const satisfies Schema;

const toolCallDeltaSchema = {
  title: "ToolCallDelta",
  type: "object",
  required: ["index"],
  properties: {
    index: { type: "integer" },
    id: { type: "string", description: "On the first piece of a call only, as are `type` and `function.name`." },
    type: { type: "string" },
    function: { title: "FunctionCallDelta", type: "object", properties: { name: { type: "string" }, arguments: { type: "string" } } },
  },
} as const satisfies Schema;

const deltaSchema = {
  title: "Delta",
  type: "object",
  properties: {
    role: { type: "string", enum: ["assistant"], description: "On the first chunk of a choice." },
    content: { type: "string", nullable: true },
    refusal: refusalSchema,
    tool_calls: { type: "array", nullable: true, items: toolCallDeltaSchema },
    reasoning_content: { type: "string", nullable: true },
  },
} as const satisfies Schema;

export const chunkSchema = {
  title: "ChatCompletionChunk",
  type: "object",
  description: "The data of one event. `id` and `created` are the same on all chunks of a stream.",
  required: ["id", "object", "created", "model", "choices"],
  properties: {
    id: { type: "string" },
    object: { type: "string", enum: ["chat.completion.chunk"] },
    created: { type: "integer", description: "Unix seconds." },
    model: { type: "string", description: "The requested model." },
    choices: {
      type: "array",
      description: "Empty on the chunk that carries the token counts.",
      items: {
        title: "ChunkChoice",
        type: "object",
        required: ["index", "delta", "finish_reason"],
        properties: { index: { type: "integer" }, delta: deltaSchema, logprobs: logprobsSchema, finish_reason: finishReasonSchema },
      },
    },
    usage: { ...usageSchema, title: "ChunkUsage", nullable: true },
    receipt: {
      title: "Receipt",
      type: "object",
      description: "On the chunk that carries the token counts.",
      required: ["request_id", "cost", "provenance", "price_version"],
      properties: {
        request_id: { type: "string" },
        cost: { type: "string", description: "The cost of the response, in dollars." },
        provenance: { type: "string", description: "Where the token counts come from: `measured`, `partial` or `estimated`." },
        price_version: { type: "string" },
        prompt_derivation: {
          type: "string",
          description: "How a prompt with media was estimated: the bytes of its text and the tokens of each kind of media.",
        },
      },
    },
  },
} as const satisfies Schema;
