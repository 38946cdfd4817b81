import { BILLED_PARAMETERS } from "./billed-parameters.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { variantOf } from "../../lib/text/name-variants.ts";
import { plainTextSchema } from "../../lib/schema/plain-text.ts";
import { isObject, type Schema } from "../../lib/schema/schema.ts";
import { STANDARD_PARAMETERS } from "./standard-parameters.ts";

/** What becomes of a parameter of a request on its way to an upstream. */
export type Handling = "pass" | "drop" | "refuse" | { readonly rename: string };

/** What is done with parameters, by their names. */
export type ParameterPolicy = Readonly<Record<string, Handling>>;

/** What a dialect, or a server, can do with parameters: in force where the operator has not said otherwise. */
export interface ParameterRules {
  readonly byName: ParameterPolicy;
  readonly others: "pass" | "drop";
  /** The types of tools that are taken. Others run at the provider, for a fee of their own. Undefined where the dialect looks itself. */
  readonly toolTypes?: ReadonlySet<string>;
  /** How many alternatives to each token may be asked for. Undefined where the server bounds it. */
  readonly maxTopLogprobs?: number;
}

/** What becomes of parameters that neither the format nor any rule knows. */
export const UNKNOWN_HANDLINGS = ["pass", "drop", "refuse"] as const;

export type UnknownHandling = (typeof UNKNOWN_HANDLINGS)[number];

export const unknownParametersSchema = { type: "string", enum: UNKNOWN_HANDLINGS } as const satisfies Schema;

/** What a request leaves behind on its way, and what it carries by another name: one that nothing else in it has. */
export interface ParameterMapping {
  readonly dropped: readonly string[];
  readonly renamed: Readonly<Record<string, string>>;
}

/** Everything goes as it came. */
export const NO_CHANGES: ParameterMapping = { dropped: [], renamed: {} };

/** The operator has said nothing. */
export const NO_POLICY: ParameterPolicy = {};

export const NO_RULES: ParameterRules = { byName: {}, others: "pass" };

/** What a request is about: no policy touches these. */
export const UNTOUCHABLE: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options"]);

export const parameterPolicySchema: Schema = {
  type: "object",
  propertyNames: plainTextSchema,
  additionalProperties: {
    oneOf: [
      { type: "string", enum: ["pass", "drop", "refuse"] },
      {
        title: "ParameterRename",
        type: "object",
        form: "{ rename: other }",
        additionalProperties: false,
        required: ["rename"],
        properties: { rename: { ...plainTextSchema, minLength: 1 } },
      },
    ],
  },
};

/** Values that say what would be so anyway: leaving them out changes nothing, and nobody needs to hear of it. */
const AS_IF_ABSENT: Readonly<Record<string, readonly unknown[]>> = {
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

/** How the parameters of a request travel to an upstream with these rules. Throws for one that must not be left out in silence. */
export function mapParameters(
  body: Readonly<Record<string, unknown>>,
  rules: ParameterRules,
  policy: ParameterPolicy,
  unknown?: UnknownHandling,
): ParameterMapping {
  let dropped: string[] | undefined;
  let renamed: Record<string, string> | undefined;
  // A loop, and no list: every request is looked at, and most have nothing that changes.
  for (const name in body) {
    if (UNTOUCHABLE.has(name)) continue;
    const value = body[name];
    const handling = handlingOf(name, value, rules, policy, unknown);
    if (handling === "pass") continue;
    if (typeof handling === "object" && value != null && body[handling.rename] == null) (renamed ??= {})[name] = handling.rename;
    else if (handling !== "refuse" || isAsIfAbsent(name, value)) (dropped ??= []).push(name);
    else throw refused(name, rules, policy);
  }
  return dropped || renamed ? { dropped: dropped ?? [], renamed: renamed ?? {} } : NO_CHANGES;
}

/** All of those for which `mapParameters` throws. */
export function refusedIn(
  body: Readonly<Record<string, unknown>>,
  rules: ParameterRules,
  policy: ParameterPolicy,
  unknown?: UnknownHandling,
): string[] {
  return Object.keys(body).filter((name) => {
    const value = body[name];
    return !UNTOUCHABLE.has(name) && handlingOf(name, value, rules, policy, unknown) === "refuse" && !isAsIfAbsent(name, value);
  });
}

/** Those that were dropped although they said something: what the caller is told of. */
export function droppedToTell({ dropped }: ParameterMapping, body: Readonly<Record<string, unknown>>): readonly string[] {
  return dropped.length === 0 ? dropped : dropped.filter((name) => !isAsIfAbsent(name, body[name]));
}

/** No name that anybody uses is longer, or has other characters in it: those of a caller may be anything, and as many as it likes. */
const NAME_IN_HEADER = /^[\w.-]{1,64}$/;
const MAX_NAMES_IN_HEADER = 20;

/** These names as a header has them: some of them, where there are many. */
export function namesInHeader(names: readonly string[]): string {
  const fit = names.filter((name) => NAME_IN_HEADER.test(name)).slice(0, MAX_NAMES_IN_HEADER);
  return (fit.length < names.length ? [...fit, "..."] : fit).join(", ");
}

/** The body that is carried, for a dialect that translates. */
export function mappedBody(body: Readonly<Record<string, unknown>>, { dropped, renamed }: ParameterMapping): Record<string, unknown> {
  const left = new Set(dropped);
  const carried = Object.entries(body).filter(([name, value]) => value != null && !left.has(name));
  return Object.fromEntries(carried.map(([name, value]) => [renamed[name] ?? name, value]));
}

function handlingOf(
  name: string,
  value: unknown,
  rules: ParameterRules,
  policy: ParameterPolicy,
  unknown: UnknownHandling | undefined,
): Handling {
  if (Object.hasOwn(policy, name)) return policy[name]!;
  if (policy !== NO_POLICY) refuseVariant(name, policy);
  if (Object.hasOwn(rules.byName, name)) return rules.byName[name]!;
  if (isBeyond(name, value, rules)) return "refuse";
  return unknown === undefined || STANDARD_PARAMETERS.has(name) ? rules.others : unknown;
}

/** `STOP` must not get past a rule for `stop`. */
function refuseVariant(name: string, known: ParameterPolicy): void {
  const ruled = variantOf(name, known);
  if (ruled === undefined) return;
  const message = `${name} is not spelled exactly like ${ruled}, and some servers would take it for that.`;
  throw new GatewayError("invalid_value", message, { param: name });
}

/** Whether a server would take a parameter, but not this value of it. */
function isBeyond(name: string, value: unknown, { toolTypes, maxTopLogprobs }: ParameterRules): boolean {
  if (name === "tools") return toolTypes !== undefined && hasOtherTools(value, toolTypes);
  return name === "top_logprobs" && maxTopLogprobs !== undefined && Number(value) > maxTopLogprobs;
}

function hasOtherTools(tools: unknown, types: ReadonlySet<string>): boolean {
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && !types.has(String(tool["type"])));
}

function isAsIfAbsent(name: string, value: unknown): boolean {
  if (value == null) return true;
  if (name === "modalities") return Array.isArray(value) && value.every((each) => each === "text");
  return Object.hasOwn(AS_IF_ABSENT, name) && AS_IF_ABSENT[name]!.includes(value);
}

function refused(name: string, rules: ParameterRules, policy: ParameterPolicy): GatewayError {
  return new GatewayError("unsupported_parameter", whyRefused(name, rules, policy), { param: name });
}

function whyRefused(name: string, rules: ParameterRules, policy: ParameterPolicy): string {
  const isRefusedAtAll = Object.hasOwn(policy, name) || Object.hasOwn(rules.byName, name);
  if (name === "tools" && !isRefusedAtAll)
    return "tools has one of a type that is not supported by this model: use tools of the type function.";
  if (name === "top_logprobs" && !isRefusedAtAll) return `top_logprobs must be at most ${rules.maxTopLogprobs} for this model.`;
  const instead = Object.hasOwn(BILLED_PARAMETERS, name) ? BILLED_PARAMETERS[name]!.instead : undefined;
  return `${name} is not supported by this model${instead === undefined ? "" : `: use ${instead}`}.`;
}
