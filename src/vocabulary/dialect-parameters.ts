import { anthropicParameters } from "./anthropic-parameters.ts";
import { GEMINI_PARAMETERS } from "./gemini-parameters.ts";
import { NO_RULES, type ParameterRules } from "./parameters.ts";
import { PRESET_IDS, presetOf, type PresetId } from "./presets.ts";
import type { UpstreamSettings } from "./upstream-settings.ts";

const RULES_OF_PRESETS: ReadonlyMap<PresetId, ParameterRules> = new Map(
  PRESET_IDS.map((id) => {
    const byName = presetOf(id).quirks?.parameters;
    return [id, byName ? { byName, others: "pass" } : NO_RULES];
  }),
);

/** What becomes of parameters at an upstream, on their way to its model of that name, where the operator has not said otherwise. */
export function parameterRules(upstream: UpstreamSettings, upstreamModel: string): ParameterRules {
  switch (upstream.dialect) {
    case "echo":
      return NO_RULES;
    case "anthropic":
      return anthropicParameters(upstreamModel);
    case "gemini":
      return GEMINI_PARAMETERS;
    case "openai":
      return upstream.preset === undefined ? NO_RULES : RULES_OF_PRESETS.get(upstream.preset)!;
  }
}
