import { isObject, variantOf } from "../lib/schema/schema.ts";
import { BILLED_PARAMETERS } from "../models/parameters/billed-parameters.ts";
import {
  NO_CHANGES,
  NO_POLICY,
  FIELDS_WITHOUT_POLICY,
  type Handling,
  type ParameterMapping,
  type ParameterPolicy,
  type ParameterRules,
  type UnknownHandling,
} from "../models/parameters/parameter-policy.ts";
import { isGatewayField, OBEYED_FIELDS } from "../models/parameters/gateway-fields.ts";
import { STANDARD_PARAMETERS } from "../models/parameters/standard-parameters.ts";
import { ApiError } from "./api-error.ts";

/** Default values: dropping a parameter with its default value changes nothing, so the drop is neither rejected nor reported. */
const DEFAULT_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  n: [1],
  n_cmpl: [1],
  best_of: [1],
  use_beam_search: [false],
  echo: [false],
  n_probs: [0],
  enable_search: [false],
  logprobs: [false],
  top_logprobs: [0],
  frequency_penalty: [0],
  presence_penalty: [0],
  store: [false],
  service_tier: ["auto", "default"],
  parallel_tool_calls: [true],
};

/** Maps the parameters of a request for an upstream with these rules. Throws for a parameter that must not be dropped silently. */
export function mapParameters(
  body: Readonly<Record<string, unknown>>,
  rules: ParameterRules,
  policy: ParameterPolicy,
  unknown?: UnknownHandling,
): ParameterMapping {
  let dropped: string[] | undefined;
  let renamed: Record<string, string> | undefined;
  // A loop without allocations: every request comes here, and most have nothing to change.
  for (const name in body) {
    if (FIELDS_WITHOUT_POLICY.has(name)) continue;
    const value = body[name];
    const handling = handlingOf(name, value, rules, policy, unknown);
    if (handling === "pass") continue;
    if (typeof handling === "object" && value != null && body[handling.rename] == null) (renamed ??= {})[name] = handling.rename;
    else if (handling !== "refuse" || isDefault(name, value)) (dropped ??= []).push(name);
    else throw refused(name, rules, policy);
  }
  return dropped || renamed ? { dropped: dropped ?? [], renamed: renamed ?? {} } : NO_CHANGES;
}

/** All parameters for which `mapParameters` throws. */
export function refusedIn(
  body: Readonly<Record<string, unknown>>,
  rules: ParameterRules,
  policy: ParameterPolicy,
  unknown?: UnknownHandling,
): string[] {
  return Object.keys(body).filter((name) => {
    const value = body[name];
    return !FIELDS_WITHOUT_POLICY.has(name) && handlingOf(name, value, rules, policy, unknown) === "refuse" && !isDefault(name, value);
  });
}

/**
 * The dropped parameters to report to the caller: those that had a value other than the default and that the gateway does not obey itself.
 */
export function reportedDrops({ dropped }: ParameterMapping, body: Readonly<Record<string, unknown>>): readonly string[] {
  return dropped.length === 0 ? dropped : dropped.filter((name) => !isDefault(name, body[name]) && !OBEYED_FIELDS.has(name));
}

/** Real parameter names match this pattern. A caller may send any names, and any number of them. */
const NAME_IN_HEADER = /^[\w.-]{1,64}$/;
const MAX_NAMES_IN_HEADER = 20;

/** These names as a header value, truncated if there are many. */
export function namesInHeader(names: readonly string[]): string {
  const fit = names.filter((name) => NAME_IN_HEADER.test(name)).slice(0, MAX_NAMES_IN_HEADER);
  return (fit.length < names.length ? [...fit, "..."] : fit).join(", ");
}

/** The body with the mapping applied, for a dialect that translates. */
export function mappedBody(body: Readonly<Record<string, unknown>>, { dropped, renamed }: ParameterMapping): Record<string, unknown> {
  const omitted = new Set(dropped);
  const sent = Object.entries(body).filter(([name, value]) => value != null && !omitted.has(name));
  return Object.fromEntries(sent.map(([name, value]) => [renamed[name] ?? name, value]));
}

function handlingOf(
  name: string,
  value: unknown,
  rules: ParameterRules,
  policy: ParameterPolicy,
  unknown: UnknownHandling | undefined,
): Handling {
  if (Object.hasOwn(policy, name)) return policy[name]!;
  if (policy !== NO_POLICY) rejectVariant(name, policy);
  if (Object.hasOwn(rules.byName, name)) return rules.byName[name]!;
  if (isUnsupportedValue(name, value, rules)) return "refuse";
  if (STANDARD_PARAMETERS.has(name)) return rules.others;
  if (isGatewayField(name)) return unknown === "refuse" && !OBEYED_FIELDS.has(name) ? "refuse" : "drop";
  return unknown ?? rules.others;
}

/** Rejects variants of a known name: `STOP` must not bypass a rule for `stop`. */
function rejectVariant(name: string, known: ParameterPolicy): void {
  const ruled = variantOf(name, known);
  if (ruled === undefined) return;
  const message = `${name} is not spelled exactly like ${ruled}, and some servers would take it for that.`;
  throw new ApiError("invalid_value", message, { param: name });
}

/** Whether a server supports a parameter, but not this value of it. */
function isUnsupportedValue(name: string, value: unknown, { toolTypes, maxTopLogprobs }: ParameterRules): boolean {
  if (name === "tools") return toolTypes !== undefined && hasOtherTools(value, toolTypes);
  return name === "top_logprobs" && maxTopLogprobs !== undefined && Number(value) > maxTopLogprobs;
}

function hasOtherTools(tools: unknown, types: ReadonlySet<string>): boolean {
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && !types.has(String(tool["type"])));
}

/** Whether a value has no effect. */
export function isDefault(name: string, value: unknown): boolean {
  if (value == null) return true;
  if (name === "modalities") return Array.isArray(value) && value.every((each) => each === "text");
  return Object.hasOwn(DEFAULT_VALUES, name) && DEFAULT_VALUES[name]!.includes(value);
}

function refused(name: string, rules: ParameterRules, policy: ParameterPolicy): ApiError {
  return new ApiError("unsupported_parameter", reasonForRefusal(name, rules, policy), { param: name });
}

function reasonForRefusal(name: string, rules: ParameterRules, policy: ParameterPolicy): string {
  const isAlwaysRefused = Object.hasOwn(policy, name) || Object.hasOwn(rules.byName, name);
  if (name === "tools" && !isAlwaysRefused)
    return "tools has one of a type that is not supported by this model: use tools of the type function.";
  if (name === "top_logprobs" && !isAlwaysRefused) return `top_logprobs must be at most ${rules.maxTopLogprobs} for this model.`;
  const instead = Object.hasOwn(BILLED_PARAMETERS, name) ? BILLED_PARAMETERS[name]!.instead : undefined;
  return `${name} is not supported by this model${instead === undefined ? "" : `: use ${instead}`}.`;
}
