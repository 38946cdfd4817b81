import { isObject } from "../../lib/schema/schema.ts";
import { isClaude, isOpenai, isReasoningNova } from "../../models/parameters/bedrock-models.ts";
import { isOn, type Thinking } from "../claude/claude-thinking.ts";
import { toOutputSchema } from "../claude/output-schema.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";

type Json = Readonly<Record<string, unknown>>;

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** `inferenceConfig`: the parameters that all models have. */
export function toInferenceConfig(body: Json, maxTokens: number | undefined, upstreamModel: string, thinking: Thinking): Json {
  // At its highest effort, Nova rejects sampling parameters.
  const takesSampling = novaEffort(body, maxTokens, upstreamModel) !== "high";
  const config = {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(takesSampling && toSampling(body, isClaude(upstreamModel), isOn(thinking))),
    ...toStopSequences(body["stop"]),
  };
  return Object.keys(config).length > 0 ? { inferenceConfig: config } : {};
}

/** `additionalModelRequestFields`: the parameters that only this model has, in its own format. */
export function toModelFields(body: Json, maxTokens: number | undefined, upstreamModel: string, thinking: Thinking): Json {
  const level = novaEffort(body, maxTokens, upstreamModel);
  const fields = {
    ...(thinking.thinking !== undefined && { thinking: thinking.thinking }),
    ...(isClaude(upstreamModel) && typeof body["top_k"] === "number" && !isOn(thinking) && { top_k: body["top_k"] }),
    ...(isOpenai(upstreamModel) && toEffort(body["reasoning_effort"], upstreamModel)),
    ...(level !== undefined && { reasoningConfig: { type: "enabled", maxReasoningEffort: level } }),
  };
  return Object.keys(fields).length > 0 ? { additionalModelRequestFields: fields } : {};
}

export function toOutputConfig(body: Json, { effort }: Thinking): Json {
  const textFormat = toTextFormat(body["response_format"]);
  const config = { ...(textFormat && { textFormat }), ...(effort !== undefined && { effort }) };
  return Object.keys(config).length > 0 ? { outputConfig: config } : {};
}

/** The API's highest temperature is 1. Claude accepts either temperature or top_p; with thinking on, only a top_p of 0.95 or more. */
function toSampling({ temperature, top_p: topP }: Json, isOfClaude: boolean, isThinking: boolean): Json {
  if (isThinking) return typeof topP === "number" && topP >= 0.95 ? { topP } : {};
  const capped = typeof temperature === "number" ? Math.min(temperature, 1) : undefined;
  const sendsTemperature = capped !== undefined && !(isOfClaude && capped === 1 && topP !== undefined);
  return {
    ...(sendsTemperature && { temperature: capped }),
    ...(typeof topP === "number" && !(isOfClaude && sendsTemperature) && { topP }),
  };
}

/** Claude rejects stop sequences that are only whitespace. */
function toStopSequences(stop: unknown): Json {
  const stopSequences = (Array.isArray(stop) ? stop : [stop]).filter((each) => typeof each === "string" && each.trim() !== "");
  return stopSequences.length > 0 ? { stopSequences } : {};
}

/** OpenAI's open models have three levels, and their reasoning cannot be turned off. */
function toEffort(effort: unknown, upstreamModel: string): Json {
  if (effort == null) return {};
  requireEffort(effort);
  if (!upstreamModel.includes("gpt-oss") || effort === "medium") return { reasoning_effort: effort };
  return { reasoning_effort: effort === "none" || effort === "minimal" || effort === "low" ? "low" : "high" };
}

/**
 * The level for Amazon's models, which have three levels and do not reason by default. The highest level does not allow a token limit. If
 * there is a token limit, which may be all that the caller can pay for, the next lower level is sent.
 * https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
 */
function novaEffort({ reasoning_effort: effort }: Json, maxTokens: number | undefined, upstreamModel: string): string | undefined {
  if (effort == null || !isReasoningNova(upstreamModel)) return undefined;
  requireEffort(effort);
  if (effort === "none") return undefined;
  if (effort === "minimal" || effort === "low") return "low";
  return effort === "medium" || maxTokens !== undefined ? "medium" : "high";
}

function requireEffort(effort: unknown): void {
  if (!EFFORTS.includes(effort as string)) throw wrongValue(["reasoning_effort"], `must be one of ${EFFORTS.join(", ")}`);
}

/** The API has no JSON mode without a schema. `json_object` is rejected rather than answered with prose. */
function toTextFormat(format: unknown): Json | undefined {
  if (!isObject(format) || format["type"] === "text") return undefined;
  if (format["type"] !== "json_schema") {
    throw unsupportedParameter(["response_format"], "can only be text or json_schema with this model");
  }
  const { schema, name } = isObject(format["json_schema"]) ? format["json_schema"] : {};
  if (!isObject(schema)) throw wrongValue(["response_format", "json_schema", "schema"], "is required");
  const jsonSchema = {
    schema: JSON.stringify(toOutputSchema(schema)),
    ...(typeof name === "string" && /^[\w-]{1,64}$/.test(name) && { name }),
  };
  return { type: "json_schema", structure: { jsonSchema } };
}
