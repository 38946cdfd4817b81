import { anthropicParameters } from "./anthropic-parameters.ts";
import { GEMINI_PARAMETERS } from "./gemini-parameters.ts";
import { NO_RULES, type ParameterRules } from "./parameters.ts";
import { presetOf } from "./presets.ts";
import type { UpstreamSettings } from "./upstream-settings.ts";

/** What becomes of parameters at an upstream, on their way to its model of that name, where the operator has not said otherwise. */
export function parameterRules(upstream: UpstreamSettings, upstreamModel: string): ParameterRules {
  switch (upstream.dialect) {
    case "echo":
      return NO_RULES;
    case "anthropic":
      return anthropicParameters(upstreamModel);
    case "gemini":
      return GEMINI_PARAMETERS;
    case "openai": {
      const byName = upstream.preset && presetOf(upstream.preset).quirks?.parameters;
      return byName ? { byName, others: "pass" } : NO_RULES;
    }
  }
}
