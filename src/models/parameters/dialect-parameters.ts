import { anthropicParameters } from "./anthropic-parameters.ts";
import { bedrockParameters } from "./bedrock-parameters.ts";
import { BILLED_PARAMETER_RULES } from "./billed-parameters.ts";
import { GEMINI_PARAMETERS } from "./gemini-parameters.ts";
import { NO_RULES, type ParameterRules } from "./parameter-policy.ts";
import { RESPONSES_PARAMETERS } from "./responses-parameters.ts";
import { PRESET_IDS, presetOf, type PresetId } from "../presets.ts";
import type { Dialect } from "../upstream-settings.ts";

/** Types of tools that the caller runs: https://platform.openai.com/docs/api-reference/chat/create. */
const CALLERS_TOOLS: ReadonlySet<string> = new Set(["function", "custom"]);

/** OpenAI's limit. llama.cpp has no limit, and would send megabytes per output token. */
const MAX_TOP_LOGPROBS = 20;

const OPENAI_RULES: ParameterRules = {
  byName: BILLED_PARAMETER_RULES,
  others: "pass",
  toolTypes: CALLERS_TOOLS,
  maxTopLogprobs: MAX_TOP_LOGPROBS,
};

const RULES_OF_PRESETS: ReadonlyMap<PresetId, ParameterRules> = new Map(
  PRESET_IDS.map((id) => {
    const own = presetOf(id).quirks?.parameters;
    return [id, own ? { ...OPENAI_RULES, byName: { ...BILLED_PARAMETER_RULES, ...own } } : OPENAI_RULES];
  }),
);

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
