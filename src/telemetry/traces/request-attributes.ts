import { isObject } from "../../lib/schema/schema.ts";
import type { Attribution } from "../../money/attribution.ts";
import type { Usage } from "../../money/usage.ts";
import type { Attributes } from "./span.ts";

type Parameters = Readonly<Record<string, unknown>>;

/** The request parameters by the GenAI conventions. Texts, such as stop sequences, are content and omitted. */
export function parameterAttributes(asked: Parameters): Attributes {
  const { max_completion_tokens: newName, max_tokens: oldName, n, stream } = asked;
  return [
    ["gen_ai.request.max_tokens", whole(newName ?? oldName)],
    ["gen_ai.request.temperature", fraction(asked["temperature"])],
    ["gen_ai.request.top_p", fraction(asked["top_p"])],
    ["gen_ai.request.frequency_penalty", fraction(asked["frequency_penalty"])],
    ["gen_ai.request.presence_penalty", fraction(asked["presence_penalty"])],
    ["gen_ai.request.seed", whole(asked["seed"])],
    ["gen_ai.request.choice.count", n === 1 ? undefined : whole(n)],
    ["gen_ai.request.stream", stream === true ? true : undefined],
    ["gen_ai.output.type", outputType(asked["response_format"])],
  ];
}

export function usageAttributes(usage: Usage | undefined): Attributes {
  if (!usage) return [];
  return [
    ["gen_ai.usage.input_tokens", BigInt(usage.promptTokens)],
    ["gen_ai.usage.output_tokens", BigInt(usage.completionTokens)],
    ["gen_ai.usage.cache_read.input_tokens", some(usage.cachedTokens)],
    ["gen_ai.usage.cache_creation.input_tokens", some(usage.cacheWriteTokens)],
    ["gen_ai.usage.reasoning.output_tokens", some(usage.reasoningTokens)],
  ];
}

/** Whom the request is attributed to, as the account stores it. */
export function attributionAttributes({ user, conversation, tags = {} }: Attribution = {}): Attributes {
  return [
    ["user.id", user],
    ["gen_ai.conversation.id", conversation],
    ...Object.entries(tags).map(([name, value]): Attributes[number] => [`tollgate.tag.${name}`, value]),
  ];
}

function whole(value: unknown): bigint | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function fraction(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function some(count: number): bigint | undefined {
  return count > 0 ? BigInt(count) : undefined;
}

function outputType(format: unknown): string | undefined {
  const type = isObject(format) ? format["type"] : undefined;
  if (type === "json_object" || type === "json_schema") return "json";
  return type === "text" ? "text" : undefined;
}
