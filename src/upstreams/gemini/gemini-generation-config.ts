import { isObject } from "../../lib/schema/schema.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import type { UpstreamCall } from "../upstream.ts";
import { generationOf } from "./gemini-model.ts";

const MAX_STOP_SEQUENCES = 5;

type Fields = Readonly<Record<string, unknown>>;

/** Parameters with the same meaning in both formats, by their names. */
const SHARED = { temperature: "temperature", top_p: "topP", frequency_penalty: "frequencyPenalty", presence_penalty: "presencePenalty" };

/** Translates the mapped parameters into `generationConfig`. Undefined if none is set. */
export function toGenerationConfig(fields: Fields, { maxTokens, upstreamModel }: UpstreamCall): object | undefined {
  refuseOtherModalities(fields["modalities"]);
  const config = {
    maxOutputTokens: maxTokens ?? fields["max_completion_tokens"] ?? fields["max_tokens"],
    ...Object.fromEntries(Object.entries(SHARED).map(([theirs, ours]) => [ours, fields[theirs]])),
    topK: integer("top_k", fields["top_k"]),
    seed: integer("seed", fields["seed"]),
    stopSequences: toStopSequences(fields["stop"]),
    ...toResponseFormat(fields["response_format"]),
    thinkingConfig: thinkingConfigFor(fields["reasoning_effort"], upstreamModel),
  };
  return Object.values(config).some((value) => value !== undefined) ? config : undefined;
}

/** Gemini's integers have 32 bits. Larger values are rejected: a truncated seed would be another seed. */
function integer(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && (value | 0) === value) return value;
  throw wrongValue([name], "must be an integer of 32 bits for this model");
}

function toStopSequences(stop: unknown): string[] | undefined {
  const sequences = (Array.isArray(stop) ? stop : [stop]).filter((each): each is string => typeof each === "string" && each !== "");
  if (sequences.length > MAX_STOP_SEQUENCES)
    throw unsupportedParameter(["stop"], `must have at most ${MAX_STOP_SEQUENCES} sequences for this model`);
  return sequences.length > 0 ? sequences : undefined;
}

function toResponseFormat(format: unknown): object {
  if (!isObject(format) || format["type"] === "text") return {};
  if (format["type"] === "json_object") return { responseMimeType: "application/json" };
  if (format["type"] !== "json_schema") {
    throw unsupportedParameter(["response_format", "type"], "must be text, json_object or json_schema for this model");
  }
  const { json_schema: declared } = format;
  if (!isObject(declared)) throw wrongValue(["response_format", "json_schema"], "must be an object");
  const schema = declared["schema"] ?? undefined;
  if (schema !== undefined && !isObject(schema)) throw wrongValue(["response_format", "json_schema", "schema"], "must be an object");
  return { responseMimeType: "application/json", responseJsonSchema: schema };
}

/** The translated response has no fields for audio or images. */
function refuseOtherModalities(modalities: unknown): void {
  if (modalities === undefined || (Array.isArray(modalities) && modalities.every((each) => each === "text"))) return;
  throw unsupportedParameter(["modalities"], "must be text alone for this model");
}

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

type Effort = (typeof EFFORTS)[number];

/** Thinking budgets for Gemini 2.5, the same as in Google's own chat-completions endpoint. */
const BUDGETS: Readonly<Record<Exclude<Effort, "none">, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** The lowest budget of 2.5 Pro, whose thinking cannot be turned off. */
const MIN_BUDGET_OF_PRO = 128;

/**
 * Translates `reasoning_effort`: to a level from generation 3 on, to a token budget before. Thought summaries are requested with it. If
 * thinking cannot be turned off, `none` becomes the lowest value.
 */
function thinkingConfigFor(effort: unknown, upstreamModel: string): object | undefined {
  if (effort === undefined) return undefined;
  if (!isEffort(effort)) throw wrongValue(["reasoning_effort"], `must be one of ${EFFORTS.join(", ")}`);
  const generation = generationOf(upstreamModel);
  if (generation !== undefined && generation < 2.5) {
    if (effort === "none") return undefined;
    throw unsupportedParameter(["reasoning_effort"], "is not supported by this model");
  }
  const amount =
    generation === 2.5 ? { thinkingBudget: budgetFor(effort, upstreamModel) } : { thinkingLevel: levelFor(effort, upstreamModel) };
  return effort === "none" ? amount : { ...amount, includeThoughts: true };
}

function isEffort(effort: unknown): effort is Effort {
  return (EFFORTS as readonly unknown[]).includes(effort);
}

function budgetFor(effort: Effort, upstreamModel: string): number {
  if (effort !== "none") return BUDGETS[effort];
  return upstreamModel.includes("-pro") ? MIN_BUDGET_OF_PRO : 0;
}

/** Every model accepts low and high. Pro rejects `minimal`, and so does Flash since 3.7. */
function levelFor(effort: Effort, upstreamModel: string): string {
  if (effort === "low" || effort === "medium") return effort;
  if (effort === "none" || effort === "minimal") return /flash-lite|gemini-3-flash/.test(upstreamModel) ? "minimal" : "low";
  return "high";
}
