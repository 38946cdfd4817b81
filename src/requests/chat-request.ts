import { fromByteText, type ByteText } from "../lib/text/byte-text.ts";
import { MESSAGE_FIELDS_WITH_RULES, PARAMETERS_WITH_RULES } from "../models/parameters/dialect-parameters.ts";
import { topLevelFields, withFields, withNames, type JsonField } from "../lib/json/json-text.ts";
import { GATEWAY_FIELD_NAMES } from "../models/parameters/gateway-fields.ts";
import { parameterSchemas } from "../models/parameters/parameter-schemas.ts";
import type { ValidatedParameter } from "../models/parameters/validated-parameters.ts";
import { MEDIUM_FIELDS, TEXT_FIELDS } from "../models/media/text-part.ts";
import { ANYTHING, findViolation, isObject, type Schema, type Violation } from "../lib/schema/schema.ts";

/** The body of a request to a model, in whichever format. The gateway uses some of its fields, and all others are for the upstream. */
export interface RequestBody {
  readonly model: string;
  readonly stream: boolean;
  /** The raw body, one character per byte. Upstreams with the same format receive it with minimal changes. */
  readonly byteText: ByteText;
  /** The positions of the top-level fields in `byteText`. */
  readonly fields: readonly JsonField[];
  /** The parsed body without long nested strings: sufficient for everything but translation. */
  readonly outline: Readonly<Record<string, unknown>>;
  /** JSON in which a name or a short string of the body can be searched for, without reading a large prompt. */
  readonly outlineText: ByteText;
  /** The body as text. Created lazily, as is the field below. */
  readonly text: string;
  /** The body parsed, for translation. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A request whose conversation can be read. */
export interface ConversationRequest extends RequestBody {
  /** The messages, or the items of another format, in order. */
  readonly conversation: readonly Readonly<Record<string, unknown>>[];
}

/** A body with new names, and then with these values. All other bytes stay as they are. */
export function rewriteText(
  { byteText, fields }: Pick<RequestBody, "byteText" | "fields">,
  values: NewValues,
  names: NewNames | undefined,
): ByteText[] {
  if (!names) return withFields(byteText, fields, values);
  const renamed = withNames(byteText, fields, names);
  return withFields(renamed, topLevelFields(renamed), values);
}

/** The value of a top-level field. Only the field is parsed: parsing a large prompt costs as much as the rest of a request. */
export function fieldIn(
  { byteText, fields }: Pick<RequestBody, "byteText" | "fields">,
  name: string,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  for (const { key, valueStart, valueEnd } of fields) {
    if (key === name) return parse(fromByteText(byteText.slice(valueStart, valueEnd) as ByteText));
  }
  return undefined;
}

/** The new names of top-level fields. Those without a name are omitted. */
export type NewNames = Readonly<Record<string, string | undefined>>;

/** The JSON of top-level fields that are replaced or added. */
export type NewValues = Readonly<Record<string, ByteText>>;

/** A request in the chat-completions format, which every dialect can write. */
export interface ChatRequest extends RequestBody {
  /** The body with new names, and then with these values, in pieces: joining them would copy a large prompt. */
  rewrite(values: NewValues, names?: NewNames): ByteText[];
  /** Whether the caller requested the usage chunk. */
  readonly includeUsage: boolean;
  readonly messages: readonly Record<string, unknown>[];
}

const MAX_MESSAGES = 10_000;

/**
 * Fields are listed so that variants of their names are rejected: a case-insensitive server could read a different medium than the one that
 * was counted.
 */
const mediumSchema = { title: "MediaReference", properties: { url: ANYTHING } } as const satisfies Schema;
const sourceSchema = {
  title: "MediaSource",
  properties: { type: ANYTHING, media_type: ANYTHING, data: ANYTHING, url: ANYTHING },
} as const satisfies Schema;

/** Fields of other APIs and servers that determine the tokens of a part. */
const FIELDS_OF_OTHER_PARTS = [...Object.keys(MEDIUM_FIELDS), ...TEXT_FIELDS, "input_text", "detail", "uuid"];

const partSchema = {
  title: "ContentPart",
  type: "object",
  description: "A piece of a message: text, image_url, input_audio, file, refusal. Other kinds travel on to the upstream.",
  required: ["type"],
  reserved: Object.fromEntries(FIELDS_OF_OTHER_PARTS.map((name) => [name, true])),
  properties: {
    type: { type: "string", minLength: 1 },
    text: { type: "string" },
    image_url: {
      oneOf: [
        { title: "ImageUrl", type: "object", properties: { url: { type: "string" }, detail: { type: "string" } } },
        { type: "string" },
      ],
    },
    input_audio: { title: "InputAudio", type: "object", properties: { data: { type: "string" }, format: { type: "string" } } },
    file: {
      title: "InputFile",
      type: "object",
      properties: { file_data: { type: "string" }, file_id: { type: "string" }, filename: { type: "string" } },
    },
    video_url: mediumSchema,
    audio_url: mediumSchema,
    source: sourceSchema,
    refusal: { type: "string" },
  },
} as const satisfies Schema;

const toolCallSchema = {
  title: "ToolCall",
  type: "object",
  properties: {
    id: { type: "string" },
    type: { type: "string" },
    function: { title: "FunctionCall", type: "object", properties: { name: { type: "string" }, arguments: { type: "string" } } },
  },
} as const satisfies Schema;

/** Fields that an assistant message may have instead of content. */
const SUBSTITUTES = ["tool_calls", "function_call", "refusal", "audio"];

const messageSchema = {
  title: "Message",
  type: "object",
  required: ["role"],
  reserved: Object.fromEntries([...SUBSTITUTES, ...MESSAGE_FIELDS_WITH_RULES].map((name) => [name, true])),
  properties: {
    role: {
      type: "string",
      enum: ["system", "user", "assistant", "developer", "tool", "function"],
      description: "`system`, `user` and `assistant` are what v1 promises for every model; the others depend on the upstream.",
    },
    content: {
      oneOf: [
        { type: "string", nullable: true },
        { type: "array", items: partSchema, minItems: 1 },
      ],
      description: "The text of the message. Required, except on an assistant message that carries tool calls or a refusal.",
    },
    name: { type: "string", nullable: true },
    tool_calls: { type: "array", nullable: true, items: toolCallSchema },
    tool_call_id: { type: "string", nullable: true },
    refusal: { type: "string", nullable: true },
  },
} as const satisfies Schema;

export const chatRequestSchema = {
  title: "ChatCompletionRequest",
  type: "object",
  description: "Fields that are not listed here travel on to the upstream as they are.",
  required: ["model", "messages"],
  reserved: { ...PARAMETERS_WITH_RULES, ...GATEWAY_FIELD_NAMES },
  properties: {
    model: { type: "string", minLength: 1, description: "Id of the model to call." },
    messages: { type: "array", items: messageSchema, minItems: 1, maxItems: MAX_MESSAGES, description: "Ordered list of messages." },
    stream: {
      type: "boolean",
      nullable: true,
      default: false,
      description: "When true the reply is streamed as server-sent events, ended by `data: [DONE]`.",
    },
    stream_options: {
      title: "StreamOptions",
      type: "object",
      nullable: true,
      properties: {
        include_usage: { type: "boolean", nullable: true, description: "Adds one chunk with the token counts before the end." },
      },
    },
    ...parameterSchemas,
  } satisfies Record<ValidatedParameter, Schema>,
} as const satisfies Schema;

/** The first violation in a request body, or undefined. */
export function findChatViolation(body: unknown): Violation | undefined {
  return findViolation(chatRequestSchema, body) ?? findMissingContent(body);
}

/** Whether `content` may be omitted depends on other fields of the message, which the schema cannot express. */
function findMissingContent(body: unknown): Violation | undefined {
  const messages: unknown = isObject(body) ? body["messages"] : undefined;
  const at = Array.isArray(messages) ? messages.findIndex(lacksContent) : -1;
  return at < 0 ? undefined : { problem: "missing", path: ["messages", at, "content"], message: "is required" };
}

function lacksContent(message: unknown): boolean {
  return isObject(message) && message["content"] == null && !mayOmitContent(message);
}

/** An assistant message may consist of tool calls, a refusal or audio alone. */
function mayOmitContent(message: Record<string, unknown>): boolean {
  return message["role"] === "assistant" && SUBSTITUTES.some((name) => message[name] != null);
}
