import { alwaysThinks, hasFixedSampling, thinksByEffort, thinksUnasked } from "../../models/claude-models.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { wrongValue } from "../unsupported-parameter.ts";
import { isThinking } from "./anthropic-tool-use.ts";
import { isResult, type Turn } from "./anthropic-turns.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a request says about thinking. */
export interface Thinking {
  readonly thinking?: unknown;
  readonly effort?: string;
}

/** What decides whether there can be thinking. */
export interface Circumstances {
  readonly upstreamModel: string;
  readonly maxTokens: number;
  readonly turns: readonly Turn[];
  /** Whether a tool must be called, which the API refuses together with thinking. */
  readonly isForced: boolean;
}

/** Below it the API refuses a budget. */
const MIN_BUDGET = 1_024;

/** Above it, says the documentation, more thinking helps little, and answers take longer than connections last. */
const MAX_BUDGET = 32_000;

/**
 * How hard to think, as a share of the longest answer, because thinking counts as part of it: the rest is left for words. The
 * names of the levels are the caller's; those that a model lacks become the next lower one.
 */
const SHARE_OF_ANSWER: Readonly<Record<string, number>> = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.95 };

/** The caller's own words win. Else `reasoning_effort` becomes whatever this model calls it. */
export function toThinking({ thinking, reasoning_effort: effort }: Json, circumstances: Circumstances): Thinking {
  if (thinking != null) return isBudget(thinking) && hasLostItsThinking(circumstances) ? {} : { thinking };
  if (effort == null) return {};
  if (effort === "none") return withoutThinking(circumstances.upstreamModel);
  if (typeof effort !== "string" || !Object.hasOwn(SHARE_OF_ANSWER, effort)) {
    throw wrongValue(["reasoning_effort"], `must be one of none, ${Object.keys(SHARE_OF_ANSWER).join(", ")}`);
  }
  return thinksByEffort(circumstances.upstreamModel)
    ? withEffort(effort, circumstances)
    : withBudget(SHARE_OF_ANSWER[effort]!, circumstances);
}

/** Whether the model will think: then its sampling is its own affair. */
export function isOn({ thinking }: Thinking): boolean {
  return isObject(thinking) && thinking["type"] !== "disabled";
}

/** Newer models do not show their thinking unless they are asked to sum it up. */
function withEffort(effort: string, { upstreamModel, isForced }: Circumstances): Thinking {
  const level = effort === "minimal" ? "low" : effort === "xhigh" && !hasFixedSampling(upstreamModel) ? "high" : effort;
  return { effort: level, ...(!isForced && { thinking: { type: "adaptive", display: "summarized" } }) };
}

function withBudget(share: number, circumstances: Circumstances): Thinking {
  const { maxTokens, isForced } = circumstances;
  const isTooShort = maxTokens < 2 * MIN_BUDGET;
  if (isTooShort || isForced || isPrefilled(circumstances) || hasLostItsThinking(circumstances)) return {};
  const budget = Math.min(MAX_BUDGET, Math.max(MIN_BUDGET, Math.floor(share * maxTokens)));
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

/** As little as the model can be brought to. */
function withoutThinking(upstreamModel: string): Thinking {
  if (alwaysThinks(upstreamModel)) return { effort: "low" };
  return thinksUnasked(upstreamModel) ? { thinking: { type: "disabled" } } : {};
}

function isBudget(thinking: unknown): boolean {
  return isObject(thinking) && thinking["type"] === "enabled";
}

/** An answer that is already begun cannot be thought about first. */
function isPrefilled({ turns }: Circumstances): boolean {
  return turns.at(-1)?.role === "assistant";
}

/**
 * Whether the calls that are being answered came with thinking which the client has not sent back, as most do not: with a budget
 * the API refuses to go on without it. Then this answer is made without thinking, and the loop goes on.
 */
function hasLostItsThinking({ turns }: Circumstances): boolean {
  let opening: Turn | undefined;
  for (let at = turns.length - 1; at > 0 && turns[at]!.content.some(isResult); at -= 2) opening = turns[at - 1];
  return opening !== undefined && !isThinking(opening.content[0]);
}
