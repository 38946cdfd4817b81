import type { Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { ApiError } from "../../requests/api-error.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import { affordableOutput, highestCost, type Price } from "../../money/price.ts";
import { fitsInto, fitsWhenIdle, tightestFirst, type Headroom } from "../../money/headroom.ts";
import { estimateTokens } from "../../money/usage.ts";
import { inDollars, insufficientCredit } from "./headroom.ts";
import type { PromptSize } from "./prompt-size.ts";

/** The most tokens that a request can have. A bound and not an estimate, because the held credit is computed from it. */
export interface TokenBound {
  readonly inputTokens: number;
  /** The number of choices. Each choice may use all of its output tokens. */
  readonly choices: number;
  /** The client's `max_tokens`, for each choice. Undefined if the client sets none. */
  readonly requestedOutput: number | undefined;
}

/** The credit to hold for a request, and the limit on its output that makes it enough. */
export interface HoldSize {
  readonly amountNanos: Nanos;
  /** The output tokens that the amount pays for, for each choice. */
  readonly maxOutputTokens: number;
  /** The `max_tokens` to send upstream, if the client sets none or a higher value. */
  readonly maxTokens: number | undefined;
  /** Whether the output is shorter than the model and the client allow, because the headroom does not pay for more. */
  readonly isShortened: boolean;
}

/**
 * The output bound of a model without a declared maximum. It is not sent upstream unless credit is short: a `max_tokens` above the model's
 * real maximum would be rejected, and a `max_tokens` below it would truncate responses.
 */
const ASSUMED_MAX_OUTPUT = 16_384;

/**
 * No text has more tokens than bytes, and the JSON around each message has more bytes than the number of tokens that models add for it.
 * Media count the same as in an estimate.
 */
export function tokenBoundOf(chat: ChatRequest, prompt: PromptSize, model: Model): TokenBound {
  const { n } = chat.outline as Record<string, number | null | undefined>;
  return {
    inputTokens: withinContextWindow(prompt.textBytes + prompt.mediaTokens, model),
    choices: n ?? 1,
    requestedOutput: requestedMaxTokens(chat),
  };
}

/** The prompt tokens to charge if the upstream does not count them. */
export function promptEstimateOf({ textBytes, mediaTokens }: PromptSize, model: Model): number {
  return withinContextWindow(estimateTokens(textBytes) + mediaTokens, model);
}

/** The higher of `max_tokens` and `max_completion_tokens`, because upstreams differ in which of them they obey. */
export function requestedMaxTokens({ outline }: ChatRequest): number | undefined {
  const { max_tokens: oldName, max_completion_tokens: newName } = outline as Record<string, number | null | undefined>;
  const requested = Math.max(newName ?? 0, oldName ?? 0);
  return requested > 0 ? requested : undefined;
}

function withinContextWindow(tokens: number, { contextWindow }: Model): number {
  return Math.min(tokens, contextWindow ?? tokens);
}

/**
 * The hold for a request, reduced to fit into every headroom. Output is shortened to the affordable length if the client does not limit it,
 * or if it would exceed the client's own `x-max-cost`. Otherwise, a requested `max_tokens` is granted in full or rejected.
 */
export function fitHold(bound: TokenBound, model: Model, price: Price, headrooms: readonly Headroom[]): HoldSize {
  let hold = fullHold(bound, model, price);
  for (const headroom of headrooms.toSorted(maxCostThenTightest)) {
    if (fitsInto(headroom, hold.amountNanos)) continue;
    const mayShorten = bound.requestedOutput === undefined || headroom.kind === "max_cost";
    const shorter = mayShorten ? shortened(hold, bound, price, headroom.leftNanos) : undefined;
    if (!shorter) throw doesNotFit(hold, bound, price, headroom);
    hold = shorter;
  }
  return hold;
}

/**
 * Sorts `x-max-cost` first, which shortens the output before another headroom rejects it; then the tightest headroom, so that a
 * `max_tokens` that an error suggests fits into all others.
 */
function maxCostThenTightest(a: Headroom, b: Headroom): number {
  return Number(b.kind === "max_cost") - Number(a.kind === "max_cost") || tightestFirst(a, b);
}

/** The hold if no headroom is short. */
export function fullHold(bound: TokenBound, model: Model, price: Price): HoldSize {
  const { requestedOutput } = bound;
  const declared = model.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const maxOutputTokens = Math.min(requestedOutput ?? outputByDefault(model), declared);
  const amountNanos = amountFor(bound, maxOutputTokens, price);
  const isSent = amountNanos > 0n && Number.isFinite(declared) && maxOutputTokens !== requestedOutput;
  return { amountNanos, maxOutputTokens, maxTokens: isSent ? maxOutputTokens : undefined, isShortened: false };
}

/** The most output of a request that sets no limit: the default limit of its route, if the route has one. */
function outputByDefault({ maxOutputTokens = ASSUMED_MAX_OUTPUT, defaultsBound }: Model): number {
  if (defaultsBound?.maxTokens === undefined) return maxOutputTokens;
  return defaultsBound.areAllLimited ? defaultsBound.maxTokens : Math.max(defaultsBound.maxTokens, maxOutputTokens);
}

/** The hold with a shorter output, reduced to at most this amount. Undefined if not even one output token fits. */
export function shortened(hold: HoldSize, bound: TokenBound, price: Price, headroomNanos: Nanos): HoldSize | undefined {
  const maxOutputTokens = Math.min(hold.maxOutputTokens, affordableMaxTokens(headroomNanos, bound, price));
  if (maxOutputTokens < 1) return undefined;
  if (maxOutputTokens === hold.maxOutputTokens) return hold;
  return { amountNanos: amountFor(bound, maxOutputTokens, price), maxOutputTokens, maxTokens: maxOutputTokens, isShortened: true };
}

/** The highest `max_tokens` that an amount pays for. */
export function affordableMaxTokens(amount: Nanos, bound: TokenBound, price: Price): number {
  return Math.floor(affordableOutput(amount, bound.inputTokens, price) / bound.choices);
}

function amountFor(bound: TokenBound, outputTokens: number, price: Price): Nanos {
  return highestCost(bound.inputTokens, outputTokens * bound.choices, price);
}

function doesNotFit(hold: HoldSize, bound: TokenBound, price: Price, headroom: Headroom): ApiError {
  const needed = `This request may cost up to $${formatDollars(hold.amountNanos)}`;
  const enough = headroom.isHidden || headroom.leftNanos < 0n ? "" : `, ${describeEnough(headroom.leftNanos, bound, price)}`;
  if (headroom.kind === "max_cost") {
    return new ApiError("budget_exceeded", `${needed}, and its x-max-cost is ${inDollars(headroom.leftNanos)}${enough}.`, {
      param: "x-max-cost",
    });
  }
  const isEnoughWhenIdle = wouldFitWhenIdle(hold, bound, price, headroom);
  return insufficientCredit(headroom, isEnoughWhenIdle, (remaining) => `${needed}, and ${remaining}${enough}`);
}

/** Whether the request would be admitted if no other request were in flight. */
function wouldFitWhenIdle(hold: HoldSize, bound: TokenBound, price: Price, headroom: Headroom): boolean {
  if (headroom.leftIfIdleNanos === headroom.leftNanos) return false;
  if (fitsWhenIdle(headroom, hold.amountNanos)) return true;
  return bound.requestedOutput === undefined && shortened(hold, bound, price, headroom.leftIfIdleNanos) !== undefined;
}

/** The `max_tokens` that an amount pays for, or the amount that would pay for one token. */
function describeEnough(amount: Nanos, bound: TokenBound, price: Price): string {
  const maxTokens = affordableMaxTokens(amount, bound, price);
  if (maxTokens >= 1) return `which would pay for max_tokens: ${maxTokens}`;
  const least = highestCost(bound.inputTokens, bound.choices, price);
  return `which does not pay for the prompt: $${formatDollars(least)} would, with the shortest response`;
}
