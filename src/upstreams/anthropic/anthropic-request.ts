import { hasCacheTtl, withoutCacheTtl } from "../../requests/cache-ttl.ts";
import { mappedBody } from "../../requests/map-parameters.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import type { UpstreamCall } from "../upstream.ts";
import { isOn, type Thinking, toThinking as thinkingFor, type ThinkingContext } from "../claude/claude-thinking.ts";
import { toOutputSchema } from "../claude/output-schema.ts";
import { isForced, toTooling } from "./anthropic-tools.ts";
import { toConversation, type Turn, isResult } from "./anthropic-turns.ts";
import { cacheBreakpoint } from "./cache-breakpoint.ts";
import { isThinking } from "./anthropic-tool-use.ts";

type Json = Readonly<Record<string, unknown>>;

/** A request in the Messages format. */
interface MessagesRequest extends Json {
  readonly messages: readonly Turn[];
}

/** Chat-completions fields that are translated or dropped. All other fields are assumed to be the Messages API's own and pass unchanged. */
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

/** The API's limit on `metadata.user_id`. */
const MAX_USER_ID_CHARS = 256;

export function toMessagesRequest(call: UpstreamCall): MessagesRequest {
  const whole = sentBody(call);
  const body = mappedBody(whole, call.parameterMapping);
  const { system, turns } = toConversation(whole["messages"] as UpstreamCall["chat"]["messages"]);
  const maxTokens = call.maxTokens ?? countIn(body, "max_completion_tokens") ?? countIn(body, "max_tokens") ?? call.maxOutputTokens;
  const tooling = toTooling(body, turns);
  const breakpoint = cacheBreakpoint(body["cache_control"]);
  const thinking = toThinking(body, { upstreamModel: call.upstreamModel, maxTokens, turns, isForced: isForced(tooling) });
  return {
    ...untranslated(body),
    model: call.upstreamModel,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system }),
    messages: turns,
    ...(breakpoint && { cache_control: breakpoint }),
    ...tooling,
    ...(thinking.thinking !== undefined && { thinking: thinking.thinking }),
    ...toOutputConfig(body, thinking),
    ...toSampling(body, isOn(thinking)),
    ...toStopSequences(body["stop"]),
    ...toMetadata(body),
    ...(call.chat.stream && { stream: true }),
  };
}

/** The client's body. Prompt-cache breakpoints keep their `ttl` only if the hold covers it: an hour costs more than five minutes. */
function sentBody({ chat, premium }: UpstreamCall): Json {
  return premium?.hasHourWrites || !hasCacheTtl(chat) ? chat.body : (withoutCacheTtl(chat.body) as Json);
}

function untranslated(body: Json): Json {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !TRANSLATED.has(name)));
}

function countIn(body: Json, name: string): number | undefined {
  return typeof body[name] === "number" ? body[name] : undefined;
}

/** The API's highest temperature is 1. Newer models accept either temperature or top_p; with thinking on, only a top_p of 0.95 or more. */
function toSampling({ temperature, top_p: topP, top_k: topK }: Json, withThinking: boolean): Json {
  if (withThinking) return typeof topP === "number" && topP >= 0.95 ? { top_p: topP } : {};
  const capped = typeof temperature === "number" ? Math.min(temperature, 1) : undefined;
  const sendsTemperature = capped !== undefined && (capped !== 1 || topP === undefined);
  return {
    ...(sendsTemperature && { temperature: capped }),
    ...(topP !== undefined && !sendsTemperature && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}

/** The API rejects stop sequences that are only whitespace. */
function toStopSequences(stop: unknown): Json {
  const sequences = (Array.isArray(stop) ? stop : [stop]).filter((each) => typeof each === "string" && each.trim() !== "");
  return sequences.length > 0 ? { stop_sequences: sequences } : {};
}

function toMetadata({ safety_identifier: identifier, user, metadata }: Json): Json {
  const userId = identifier ?? user;
  return isOpaque(userId) ? { metadata: { user_id: userId, ...(isObject(metadata) && metadata) } } : {};
}

/**
 * The API requires an opaque user id and rejects anything that looks like an email address or phone number. The length is checked
 * first, because the email pattern takes quadratic time.
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

/** The API has no JSON mode without a schema. `json_object` is rejected rather than answered with prose. */
function toFormat(format: unknown): Json | undefined {
  if (!isObject(format) || format["type"] === "text") return undefined;
  if (format["type"] !== "json_schema") {
    throw unsupportedParameter(["response_format"], "can only be text or json_schema with this model");
  }
  const { json_schema: named } = format;
  const schema = isObject(named) ? named["schema"] : undefined;
  if (!isObject(schema)) throw wrongValue(["response_format", "json_schema", "schema"], "is required");
  return { type: "json_schema", schema: toOutputSchema(schema) };
}

/** The same request with the translated conversation. */
export type TurnsContext = Omit<ThinkingContext, "isPrefilled" | "isThinkingMissing"> & { readonly turns: readonly Turn[] };

/** The fields of a request that control thinking, for this conversation. */
export function toThinking(body: Readonly<Record<string, unknown>>, { turns, ...rest }: TurnsContext): Thinking {
  const isPrefilled = turns.at(-1)?.role === "assistant";
  return thinkingFor(body, { ...rest, isPrefilled, isThinkingMissing: isThinkingMissing(turns) });
}

/** Whether the turn that opened the current tool calls lacks its thinking. */
export function isThinkingMissing(turns: readonly Turn[]): boolean {
  let opening: Turn | undefined;
  for (let at = turns.length - 1; at > 0 && turns[at]!.content.some(isResult); at -= 2) opening = turns[at - 1];
  return opening !== undefined && !isThinking(opening.content[0]);
}
