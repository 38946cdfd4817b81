import { anthropicParameters } from "./anthropic-parameters.ts";
import { hasHourCachePoints } from "./bedrock-models.ts";
import { bedrockParameters } from "./bedrock-parameters.ts";
import { BILLED_PARAMETER_RULES } from "./billed-parameters.ts";
import { GEMINI_PARAMETERS } from "./gemini-parameters.ts";
import { NO_RULES, SERVICE_TIER, type ParameterPolicy, type ParameterRules } from "./parameter-policy.ts";
import { RESPONSES_PARAMETERS } from "./responses-parameters.ts";
import { PRESET_IDS, presetOf, type PresetId } from "../presets.ts";
import type { Dialect } from "../upstream-settings.ts";

/** Types of tools that the caller runs: https://platform.openai.com/docs/api-reference/chat/create. */
const CALLERS_TOOLS: ReadonlySet<string> = new Set(["function", "custom"]);

/** OpenAI's limit. llama.cpp has no limit, and would send megabytes per output token. */
const MAX_TOP_LOGPROBS = 20;

const OPENAI_RULES = openaiRules({});

const RULES_OF_PRESETS: ReadonlyMap<PresetId, ParameterRules> = new Map(
  PRESET_IDS.map((id) => {
    const own = presetOf(id).quirks?.parameters;
    return [id, own ? openaiRules(own) : OPENAI_RULES];
  }),
);

/** The rules of a server with the OpenAI format. `own`: the rules of its preset, which take precedence. */
function openaiRules(own: ParameterPolicy): ParameterRules {
  const rules: ParameterRules = {
    byName: { ...BILLED_PARAMETER_RULES, ...own },
    others: "pass",
    toolTypes: CALLERS_TOOLS,
    maxTopLogprobs: MAX_TOP_LOGPROBS,
  };
  if (Object.hasOwn(own, SERVICE_TIER)) return rules;
  return { ...rules, withTier: { ...rules, byName: { ...rules.byName, [SERVICE_TIER]: "pass" } } };
}

/** The settings of an upstream that its rules depend on. */
interface Server {
  readonly dialect: Dialect;
  readonly preset?: PresetId | undefined;
}

/** The default handling of parameters for an upstream and upstream model. The operator's policy takes precedence. */
export function parameterRules({ dialect, preset }: Server, upstreamModel: string): ParameterRules {
  switch (dialect) {
    case "echo":
      return NO_RULES;
    case "anthropic":
      return anthropicParameters(upstreamModel);
    case "bedrock":
      return bedrockParameters(upstreamModel);
    case "gemini":
      return GEMINI_PARAMETERS;
    case "responses":
      return RESPONSES_PARAMETERS;
    case "openai":
      return preset === undefined ? OPENAI_RULES : RULES_OF_PRESETS.get(preset)!;
  }
}

/** Whether an upstream receives the service tier of a request that has a price. `policy`: the operator's, for the model. */
export function takesTier(server: Server, upstreamModel: string, policy: ParameterPolicy): boolean {
  if (!Object.hasOwn(policy, SERVICE_TIER)) return parameterRules(server, upstreamModel).withTier !== undefined;
  const handling = policy[SERVICE_TIER];
  return handling !== "drop" && handling !== "refuse";
}

/** Whether an upstream receives the prompt-cache breakpoints of chat completions with their `ttl`, and counts the writes for an hour. */
export function takesHourWrites(dialect: Dialect, upstreamModel: string): boolean {
  return dialect === "anthropic" || (dialect === "bedrock" && hasHourCachePoints(upstreamModel));
}

/** Every name with a rule, and every target of a renaming: a misspelled field similar to one of them is rejected. */
export const PARAMETERS_WITH_RULES: Readonly<Record<string, true>> = Object.fromEntries(
  [...RULES_OF_PRESETS.values(), anthropicParameters(""), bedrockParameters("claude"), GEMINI_PARAMETERS, RESPONSES_PARAMETERS].flatMap(
    ({ byName }) =>
      Object.entries(byName).flatMap(([name, handling]) => (typeof handling === "object" ? [name, handling.rename] : [name]).map(withTrue)),
  ),
);

function withTrue(name: string): [string, true] {
  return [name, true];
}

/** The message fields for which a preset has a rule. */
export const MESSAGE_FIELDS_WITH_RULES: readonly string[] = PRESET_IDS.flatMap((id) =>
  Object.keys(presetOf(id).quirks?.messageFields ?? {}),
);
