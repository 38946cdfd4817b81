import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import { generationOf } from "./gemini-model.ts";

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

type Effort = (typeof EFFORTS)[number];

/** Of the second generation, by the table that Google's own chat-completions endpoint goes by. */
const BUDGETS: Readonly<Record<Exclude<Effort, "none">, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** The least that 2.5 Pro thinks: it cannot be told not to. */
const LEAST_BUDGET_OF_PRO = 128;

/**
 * How much a model is to think, for `reasoning_effort`: in levels from the third generation on, in tokens before. With it come
 * summaries of the thoughts. Where a model cannot stop thinking, `none` is the least that it can.
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
  return upstreamModel.includes("-pro") ? LEAST_BUDGET_OF_PRO : 0;
}

/** Every model takes low and high. `minimal` is refused by Pro, and by Flash since 3.7. */
function levelFor(effort: Effort, upstreamModel: string): string {
  if (effort === "low" || effort === "medium") return effort;
  if (effort === "none" || effort === "minimal") return /flash-lite|gemini-3-flash/.test(upstreamModel) ? "minimal" : "low";
  return "high";
}
