import { alwaysThinks, hasFixedSampling, thinksByEffort, thinksByDefault } from "../../models/claude-models.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { wrongValue } from "../unsupported-parameter.ts";

type Json = Readonly<Record<string, unknown>>;

/** The fields of a request that control thinking. */
export interface Thinking {
  readonly thinking?: unknown;
  readonly effort?: string;
}

/** The parts of a request that decide whether the model may think. */
export interface ThinkingContext {
  readonly upstreamModel: string;
  readonly maxTokens: number;
  /** Whether the conversation ends with the beginning of the response (a prefill), so that the response cannot start with thinking. */
  readonly isPrefilled: boolean;
  /**
   * Whether the client has not sent back the thinking of the tool calls it returns results for, as most clients do not. With a thinking
   * budget the API rejects such a request, so it is sent without thinking and the agent loop continues.
   */
  readonly isThinkingMissing: boolean;
  /** Whether the request forces a tool call, which the API rejects together with thinking. */
  readonly isForced: boolean;
}

/** The lowest thinking budget that the API accepts. */
export const MIN_BUDGET = 1_024;

/** Anthropic's documentation advises against larger budgets: they improve little, and responses outlast connection timeouts. */
const MAX_BUDGET = 32_000;

/**
 * The thinking budget of each effort as a share of max_tokens, because thinking counts towards max_tokens and the rest must hold the text.
 * A level that a model lacks becomes the next lower level.
 */
const SHARE_OF_ANSWER: Readonly<Record<string, number>> = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.95 };

/** The caller's own `thinking` takes precedence. Otherwise `reasoning_effort` is translated to what this model supports. */
export function toThinking({ thinking, reasoning_effort: effort }: Json, context: ThinkingContext): Thinking {
  if (thinking != null) return isBudget(thinking) && context.isThinkingMissing ? {} : { thinking };
  if (effort == null) return {};
  if (effort === "none") return withoutThinking(context.upstreamModel);
  if (typeof effort !== "string" || !Object.hasOwn(SHARE_OF_ANSWER, effort)) {
    throw wrongValue(["reasoning_effort"], `must be one of none, ${Object.keys(SHARE_OF_ANSWER).join(", ")}`);
  }
  return thinksByEffort(context.upstreamModel) ? withEffort(effort, context) : withBudget(SHARE_OF_ANSWER[effort]!, context);
}

/** Whether thinking is on, which restricts the sampling parameters. */
export function isOn({ thinking }: Thinking): boolean {
  return isObject(thinking) && thinking["type"] !== "disabled";
}

/** Newer models return no thinking text unless a summary is requested. */
function withEffort(effort: string, { upstreamModel, isForced }: ThinkingContext): Thinking {
  const level = effort === "minimal" ? "low" : effort === "xhigh" && !hasFixedSampling(upstreamModel) ? "high" : effort;
  return { effort: level, ...(!isForced && { thinking: { type: "adaptive", display: "summarized" } }) };
}

function withBudget(share: number, { maxTokens, isForced, isPrefilled, isThinkingMissing }: ThinkingContext): Thinking {
  const isTooShort = maxTokens < 2 * MIN_BUDGET;
  if (isTooShort || isForced || isPrefilled || isThinkingMissing) return {};
  const budget = Math.min(MAX_BUDGET, Math.max(MIN_BUDGET, Math.floor(share * maxTokens)));
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

/** The least thinking that the model supports. */
function withoutThinking(upstreamModel: string): Thinking {
  if (alwaysThinks(upstreamModel)) return { effort: "low" };
  return thinksByDefault(upstreamModel) ? { thinking: { type: "disabled" } } : {};
}

function isBudget(thinking: unknown): boolean {
  return isObject(thinking) && thinking["type"] === "enabled";
}
