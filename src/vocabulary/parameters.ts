import { GatewayError } from "./gateway-error.ts";
import type { Schema } from "./schema.ts";

/** What becomes of a parameter of a request on its way to an upstream. */
export type Handling = "pass" | "drop" | "refuse" | { readonly rename: string };

/** What is done with parameters, by their names. */
export type ParameterPolicy = Readonly<Record<string, Handling>>;

/** What a dialect, or a server, can do with parameters: in force where the operator has not said otherwise. */
export interface ParameterRules {
  readonly byName: ParameterPolicy;
  readonly others: "pass" | "drop";
}

/** What a request leaves behind on its way, and what it carries by another name: one that nothing else in it has. */
export interface Carriage {
  readonly dropped: readonly string[];
  readonly renamed: Readonly<Record<string, string>>;
}

/** Everything goes as it came. */
export const EVERYTHING: Carriage = { dropped: [], renamed: {} };

/** The operator has said nothing. */
export const NO_POLICY: ParameterPolicy = {};

export const NO_RULES: ParameterRules = { byName: {}, others: "pass" };

/** What a request is about: no policy touches these. */
export const UNTOUCHABLE: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options"]);

export const parameterPolicySchema: Schema = {
  type: "object",
  additionalProperties: {
    oneOf: [
      { type: "string", enum: ["pass", "drop", "refuse"] },
      {
        type: "object",
        form: "{ rename: other }",
        additionalProperties: false,
        required: ["rename"],
        properties: { rename: { type: "string", minLength: 1 } },
      },
    ],
  },
};

/** Values that say what would be so anyway: leaving them out changes nothing, and nobody needs to hear of it. */
const AS_IF_ABSENT: Readonly<Record<string, unknown>> = {
  n: 1,
  logprobs: false,
  top_logprobs: 0,
  frequency_penalty: 0,
  presence_penalty: 0,
  store: false,
  service_tier: "auto",
  parallel_tool_calls: true,
};

/** How the parameters of a request travel to an upstream with these rules. Throws for one that must not be left out in silence. */
export function carry(body: Readonly<Record<string, unknown>>, rules: ParameterRules, policy: ParameterPolicy): Carriage {
  const dropped: string[] = [];
  const renamed: Record<string, string> = {};
  for (const [name, value] of Object.entries(body)) {
    if (UNTOUCHABLE.has(name)) continue;
    const handling = handlingOf(name, rules, policy);
    if (handling === "pass") continue;
    if (typeof handling === "object" && value != null && body[handling.rename] == null) renamed[name] = handling.rename;
    else if (handling !== "refuse" || isAsIfAbsent(name, value)) dropped.push(name);
    else throw refused(name);
  }
  return { dropped, renamed };
}

/** All of those for which `carry` throws. */
export function refusedIn(body: Readonly<Record<string, unknown>>, rules: ParameterRules, policy: ParameterPolicy): string[] {
  const isRefused = (name: string): boolean => !UNTOUCHABLE.has(name) && handlingOf(name, rules, policy) === "refuse";
  return Object.keys(body).filter((name) => isRefused(name) && !isAsIfAbsent(name, body[name]));
}

/** Those that were dropped although they said something: what the caller is told of. */
export function droppedToTell({ dropped }: Carriage, body: Readonly<Record<string, unknown>>): readonly string[] {
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
export function carriedBody(body: Readonly<Record<string, unknown>>, { dropped, renamed }: Carriage): Record<string, unknown> {
  const left = new Set(dropped);
  const carried = Object.entries(body).filter(([name, value]) => value != null && !left.has(name));
  return Object.fromEntries(carried.map(([name, value]) => [renamed[name] ?? name, value]));
}

function handlingOf(name: string, rules: ParameterRules, policy: ParameterPolicy): Handling {
  if (Object.hasOwn(policy, name)) return policy[name]!;
  return Object.hasOwn(rules.byName, name) ? rules.byName[name]! : rules.others;
}

function isAsIfAbsent(name: string, value: unknown): boolean {
  return value == null || (Object.hasOwn(AS_IF_ABSENT, name) && AS_IF_ABSENT[name] === value);
}

function refused(name: string): GatewayError {
  return new GatewayError("unsupported_parameter", `${name} is not supported by this model.`, { param: name });
}
