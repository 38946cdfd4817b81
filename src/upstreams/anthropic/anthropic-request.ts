import { mappedBody } from "../../requests/map-parameters.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import type { UpstreamCall } from "../upstream.ts";
import { toAnswerSchema } from "./anthropic-schema.ts";
import { isOn, toThinking, type Thinking } from "./anthropic-thinking.ts";
import { isForced, toTooling } from "./anthropic-tools.ts";
import { toConversation, type Turn } from "./anthropic-turns.ts";
import { cacheMark } from "./cache-breakpoint.ts";

type Json = Readonly<Record<string, unknown>>;

/** A request in the Messages format. */
export interface MessagesRequest extends Json {
  readonly messages: readonly Turn[];
}

/** Words of the chat-completions format: said in other words, or not at all. What is left is the API's own, and goes as it came. */
const TRANSLATED: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "reasoning_effort",
  "thinking",
  "output_config",
  "cache_control",
  "user",
  "safety_identifier",
]);

/** The API's own limit. */
const MAX_USER_ID_CHARS = 256;

export function toMessagesRequest(call: UpstreamCall): MessagesRequest {
  const body = mappedBody(call.chat.body, call.parameterMapping);
  const { system, turns } = toConversation(call.chat.messages);
  const maxTokens = call.maxTokens ?? countIn(body, "max_completion_tokens") ?? countIn(body, "max_tokens") ?? call.maxOutputTokens;
  const tooling = toTooling(body, turns);
  const mark = cacheMark(body["cache_control"]);
  const thinking = toThinking(body, { upstreamModel: call.upstreamModel, maxTokens, turns, isForced: isForced(tooling) });
  return {
    ...untranslated(body),
    model: call.upstreamModel,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system }),
    messages: turns,
    ...(mark && { cache_control: mark }),
    ...tooling,
    ...(thinking.thinking !== undefined && { thinking: thinking.thinking }),
    ...toOutputConfig(body, thinking),
    ...toSampling(body, isOn(thinking)),
    ...toStopSequences(body["stop"]),
    ...toMetadata(body),
    ...(call.chat.stream && { stream: true }),
  };
}

function untranslated(body: Json): Json {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !TRANSLATED.has(name)));
}

function countIn(body: Json, name: string): number | undefined {
  return typeof body[name] === "number" ? body[name] : undefined;
}

/** Temperatures end at 1 there. Of temperature and top_p newer models take one, and a thinking model none that would change it. */
function toSampling({ temperature, top_p: topP, top_k: topK }: Json, isThinking: boolean): Json {
  if (isThinking) return typeof topP === "number" && topP >= 0.95 ? { top_p: topP } : {};
  const heat = typeof temperature === "number" ? Math.min(temperature, 1) : undefined;
  const isHeatTold = heat !== undefined && (heat !== 1 || topP === undefined);
  return {
    ...(isHeatTold && { temperature: heat }),
    ...(topP !== undefined && !isHeatTold && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}

/** The API refuses sequences without a visible character. */
function toStopSequences(stop: unknown): Json {
  const sequences = (Array.isArray(stop) ? stop : [stop]).filter((each) => typeof each === "string" && each.trim() !== "");
  return sequences.length > 0 ? { stop_sequences: sequences } : {};
}

function toMetadata({ safety_identifier: identifier, user, metadata }: Json): Json {
  const userId = identifier ?? user;
  return isOpaque(userId) ? { metadata: { user_id: userId, ...(isObject(metadata) && metadata) } } : {};
}

/**
 * The API wants an opaque name for the user, and refuses what looks like an address or a telephone number. The length comes
 * first: looking for an address takes the square of it.
 */
function isOpaque(userId: unknown): boolean {
  if (typeof userId !== "string" || userId.length > MAX_USER_ID_CHARS || userId.trim() === "") return false;
  return !/@.*\./s.test(userId) && !/^\+?[\d\s()-]{7,}$/.test(userId);
}

function toOutputConfig(body: Json, { effort }: Thinking): Json {
  const own = body["output_config"] ?? {};
  if (!isObject(own)) throw wrongValue(["output_config"], "must be an object");
  const format = toFormat(body["response_format"]);
  const config = { ...(effort !== undefined && { effort }), ...own, ...(format && { format }) };
  return Object.keys(config).length > 0 ? { output_config: config } : {};
}

/** JSON without a schema is a mode that the API does not have: an answer in prose would be another than was asked for. */
function toFormat(format: unknown): Json | undefined {
  if (!isObject(format) || format["type"] === "text") return undefined;
  if (format["type"] !== "json_schema") {
    throw unsupportedParameter(["response_format"], "can only be text or json_schema with this model");
  }
  const { json_schema: named } = format;
  const schema = isObject(named) ? named["schema"] : undefined;
  if (!isObject(schema)) throw wrongValue(["response_format", "json_schema", "schema"], "is required");
  return { type: "json_schema", schema: toAnswerSchema(schema) };
}
