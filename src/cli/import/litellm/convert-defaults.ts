import { asUnsupported, type Unsupported } from "./unsupported.ts";
import { Fields } from "./yaml/fields.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

/** The default parameters of a route. */
export type ConvertedDefaults = Readonly<Record<string, unknown>>;

/** The parameters that are converted, each with the values that a client may send. */
const VALID: Readonly<Record<string, (value: unknown) => boolean>> = {
  temperature: (value) => isNumber(value, 0, 2),
  top_p: (value) => isNumber(value, 0, 1),
  max_tokens: isCount,
  max_completion_tokens: isCount,
  seed: (value) => Number.isSafeInteger(value),
  stop: (value) => typeof value === "string" || (Array.isArray(value) && value.every((each) => typeof each === "string")),
  presence_penalty: (value) => isNumber(value, -2, 2),
  frequency_penalty: (value) => isNumber(value, -2, 2),
  parallel_tool_calls: (value) => typeof value === "boolean",
  reasoning_effort: (value) => typeof value === "string",
  verbosity: (value) => typeof value === "string",
};

/**
 * Converts the parameters of a deployment. They take precedence over the parameters of all deployments
 * (`router_settings.default_litellm_params`).
 */
export function convertDefaults(params: Fields, common: YamlNode | undefined, unsupported: Unsupported[]): ConvertedDefaults {
  const defaults = { ...validIn(new Fields(common), unsupported), ...validIn(params, unsupported) };
  const { max_tokens: old, max_completion_tokens: limit, ...others } = defaults;
  // `max_tokens` and `max_completion_tokens` name the same parameter.
  const unused = old !== undefined && limit !== undefined && params.peek("max_tokens");
  if (unused) unsupported.push(asUnsupported(unused, "not converted: max_completion_tokens is another name of it"));
  return { ...others, ...(limit === undefined ? old !== undefined && { max_tokens: old } : { max_completion_tokens: limit }) };
}

function validIn(fields: Fields, unsupported: Unsupported[]): Record<string, unknown> {
  const found = Object.keys(VALID).flatMap((name): [string, unknown][] => {
    const node = fields.take(name);
    if (!node) return [];
    // Python's parser reads 1e-1 as text, and LiteLLM accepts it as a number.
    const value = name === "stop" ? node.value() : (node.number ?? node.value());
    if (VALID[name]!(value)) return [[name, value]];
    unsupported.push(asUnsupported(node, "not converted: clients could not send this value"));
    return [];
  });
  return Object.fromEntries(found);
}

/** Reports parameters of `default_litellm_params` that are not converted. */
export function reportOtherDefaults(common: YamlNode | undefined, why: (name: string) => string, unsupported: Unsupported[]): void {
  const others = [...(common?.fields?.values() ?? [])].filter(({ name }) => !Object.hasOwn(VALID, name));
  unsupported.push(...others.map((each) => asUnsupported(each, why(each.name))));
}

function isNumber(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && value >= least && value <= most;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
