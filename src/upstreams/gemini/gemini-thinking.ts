import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import { generationOf } from "./gemini-model.ts";

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

type Effort = (typeof EFFORTS)[number];

/** Thinking budgets for Gemini 2.5, the same as those of Google's own chat-completions endpoint. */
const BUDGETS: Readonly<Record<Exclude<Effort, "none">, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** The lowest budget of 2.5 Pro, whose thinking cannot be turned off. */
const MIN_BUDGET_OF_PRO = 128;

/**
 * Translates `reasoning_effort`: to a level from generation 3 on, to a token budget before. Thought summaries are requested with it.
 * Where thinking cannot be turned off, `none` becomes the lowest value.
 */
export function thinkingConfigFor(effort: unknown, upstreamModel: string): object | undefined {
  if (effort === undefined) return undefined;
  if (!isEffort(effort)) throw wrongValue(["reasoning_effort"], `must be one of ${EFFORTS.join(", ")}`);
  const generation = generationOf(upstreamModel);
  if (generation !== undefined && generation < 2.5) {
    if (effort === "none") return undefined;
    throw unsupportedParameter(["reasoning_effort"], "is not supported by this model");
  }
  const amount =
    generation === 2.5 ? { thinkingBudget: budgetFor(effort, upstreamModel) } : { thinkingLevel: levelFor(effort, upstreamModel) };
  return effort === "none" ? amount : { ...amount, includeThoughts: true };
}

function isEffort(effort: unknown): effort is Effort {
  return (EFFORTS as readonly unknown[]).includes(effort);
}

function budgetFor(effort: Effort, upstreamModel: string): number {
  if (effort !== "none") return BUDGETS[effort];
  return upstreamModel.includes("-pro") ? MIN_BUDGET_OF_PRO : 0;
}

/** Every model accepts low and high. Pro rejects `minimal`, and so does Flash since 3.7. */
function levelFor(effort: Effort, upstreamModel: string): string {
  if (effort === "low" || effort === "medium") return effort;
  if (effort === "none" || effort === "minimal") return /flash-lite|gemini-3-flash/.test(upstreamModel) ? "minimal" : "low";
  return "high";
}
