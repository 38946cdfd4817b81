import { anthropicParameters } from "./anthropic-parameters.ts";
import { NO_RULES, type ParameterRules } from "./parameters.ts";
import { presetOf } from "./presets.ts";
import type { Dialect, UpstreamSettings } from "./upstream-settings.ts";

/** What each dialect can say. What is translated, or passed as the upstream's own word, is `pass`; the rest cannot be said there. */
const RULES: Readonly<Record<Exclude<Dialect, "openai" | "anthropic" | "echo">, ParameterRules>> = {
  gemini: { byName: {}, others: "drop" },
};

/** What becomes of parameters at an upstream, on their way to its model of that name, where the operator has not said otherwise. */
export function parameterRules(upstream: UpstreamSettings, upstreamModel = ""): ParameterRules {
  if (upstream.dialect === "echo") return NO_RULES;
  if (upstream.dialect === "anthropic") return anthropicParameters(upstreamModel);
  if (upstream.dialect !== "openai") return RULES[upstream.dialect];
  const byName = upstream.preset && presetOf(upstream.preset).quirks?.parameters;
  return byName ? { byName, others: "pass" } : NO_RULES;
}
