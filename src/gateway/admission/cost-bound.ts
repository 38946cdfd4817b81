import type { CachedResponse } from "../../stores/responses/response-store.ts";
import { mayCall, type CallingAccount, type ModelAllowList, type CacheTerms, type Catalog, type Model } from "../../models/catalog.ts";
import type { ModelRequest } from "../formats/caller-format.ts";
import { fieldNameIn } from "../formats/translation.ts";
import { type Nanos, formatDollars } from "../../money/money.ts";
import { costOf, highestCost, percentOf, priceInForce, type Price, affordableOutput, valueOf } from "../../money/price.ts";
import { fitsInto, type Headroom, fitsWhenIdle, tightestFirst } from "../../money/headroom.ts";
import {
  countTokens,
  estimateTokens,
  NO_PREMIUM,
  type PremiumUse,
  type ReceivedUsage,
  type CountedUsage,
  type Usage,
} from "../../money/usage.ts";
import type { FindUpstream } from "../gateway.ts";
import type { TokenReservation } from "./rate-limits.ts";
import { ApiError } from "../../requests/api-error.ts";
import { inDollars, insufficientCredit } from "./headroom.ts";
import { highestPrice, premiumBound, premiumIn, type SampledBound } from "./premium-bound.ts";
import { PremiumDemand } from "../../requests/premium-demand.ts";
import { type Medium, type MediumTokens, tokensOf } from "../../models/media/medium.ts";
import { imageFormulaFor, type ImageFormula } from "../../models/media/image-tokens.ts";
import { MIN_OUTPUT_TOKENS } from "../../models/parameters/responses-parameters.ts";
import { mediaInPart } from "../../models/media/media-in-part.ts";
import type { FallbackCondition } from "../../models/fallbacks.ts";

/** The most that a request can cost, in money and in tokens. */
export interface CostBound extends PromptTerms {
  readonly hold: HoldSize;
  readonly tokens: TokenReservation;
}

/**
 * The cost bound of a call to an upstream, reduced to fit into every headroom, if need be without optional tools. Throws if it cannot fit.
 */
export function boundCallCost(
  modelRequest: ModelRequest,
  model: Model,
  findUpstream: FindUpstream,
  price: Price,
  headrooms: readonly Headroom[],
): CostBound {
  const premium = premiumIn(modelRequest, model, findUpstream, price);
  const prompt = measurePrompt(modelRequest, model, findUpstream);
  const least = leastOutputOf(model, findUpstream);
  if (!premium || premium.optionalTools.size === 0) return boundCall(modelRequest, prompt, least, model, price, headrooms, premium);
  return boundOptional(modelRequest, prompt, least, model, price, headrooms, premium);
}

/** A separate function: a closure would cost the requests without optional tools. */
function boundOptional(
  modelRequest: ModelRequest,
  prompt: PromptSize,
  least: number,
  model: Model,
  price: Price,
  headrooms: readonly Headroom[],
  premium: PremiumDemand,
): CostBound {
  const whole = tryBound(() => boundCall(modelRequest, prompt, least, model, price, headrooms, premium));
  if (whole && !whole.hold.isShortened) return whole;
  const bound = boundCall(modelRequest, prompt, least, model, price, headrooms, premium.withoutOptionalTools());
  return { ...bound, hold: { ...bound.hold, isShortened: true } };
}

/** Undefined if it does not fit. */
function tryBound(bound: () => CostBound): CostBound | undefined {
  try {
    return bound();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function boundCall(
  modelRequest: ModelRequest,
  prompt: PromptSize,
  leastOutput: number,
  model: Model,
  price: Price,
  headrooms: readonly Headroom[],
  premium: PremiumDemand | undefined,
): CostBound {
  const bound = callBoundOf(modelRequest, prompt, leastOutput, model, price, premium);
  const promptEstimate = promptEstimateOf(prompt, model);
  const hold = fitHold(bound, model, heldPrice(price, premium, bound), headrooms);
  const tokens = { prompt: promptEstimate, outputPerChoice: hold.maxOutputTokens, choices: bound.choices, limitName: bound.limitName };
  const maxInputTokens = bound.inputTokens;
  const plausibleInputTokens = Math.max(plausibleInputOf(prompt, model), premium ? maxInputTokens + ADDED_INPUT_TOKENS : 0);
  return { price, premium, promptEstimate, promptDerivation: prompt.derivation, maxInputTokens, plausibleInputTokens, hold, tokens };
}

/** The most tokens of a call, with the samplings of tools that run at the provider. */
export function callBoundOf(
  modelRequest: ModelRequest,
  prompt: PromptSize,
  leastOutput: number,
  model: Model,
  price: Price,
  premium: PremiumDemand | undefined,
): TokenBound {
  const bound = tokenBoundOf(modelRequest, prompt, model, leastOutput);
  return premium ? { ...bound, ...premiumBound(bound, premium, model, price) } : bound;
}

/** The price that the hold is computed with. */
export function heldPrice(price: Price, premium: PremiumDemand | undefined, bound: TokenBound): Price {
  return premium ? highestPrice(price, premium, bound.largestPrompt ?? bound.inputTokens) : price;
}

/**
 * The exact cost of a cached response. Undefined if it does not fit into every headroom: a call with a shorter output may still fit, and if
 * not, the error describes the call.
 */
export function boundCachedCost(
  cached: CachedResponse,
  terms: CacheTerms,
  callPrice: Price,
  headrooms: readonly Headroom[],
): CostBound | undefined {
  const price = percentOf(callPrice, terms.pricePercent);
  const { usage } = countTokens(cached, cached.promptTokens, true);
  const { promptTokens, completionTokens } = usage;
  const amountNanos = costOf(usage, price);
  if (headrooms.some((headroom) => !fitsInto(headroom, amountNanos))) return undefined;
  return {
    price,
    premium: usage.premium && demandOf(usage.premium),
    promptEstimate: promptTokens,
    promptDerivation: undefined,
    maxInputTokens: promptTokens,
    plausibleInputTokens: promptTokens,
    hold: { amountNanos, maxOutputTokens: completionTokens, maxTokens: undefined, isShortened: false },
    tokens: { prompt: promptTokens, outputPerChoice: completionTokens, choices: 1, limitName: undefined },
  };
}

/** The least that a request can cost when only its key is known. */
export interface MinimumCost {
  /** The least with a model whose price is above zero. Undefined if the key may not call such a model. */
  readonly paidNanos: Nanos | undefined;
  /** Whether the key may call a free model. */
  readonly canBeFree: boolean;
}

/**
 * The least that a request can cost, over all models that the key may call. The length of the body does not matter: the body may be one
 * large image of a few tokens. The search stops at the first model that costs at most `enoughNanos`, so that all models are compared only
 * for a caller that cannot pay.
 */
export function minimumCost(
  key: ModelAllowList,
  account: CallingAccount,
  enoughNanos: Nanos,
  catalog: Catalog,
  nowMs: number,
): MinimumCost {
  let paidNanos: Nanos | undefined;
  let canBeFree = false;
  for (const model of catalog.values()) {
    if (!mayCall(key, account, model, nowMs)) continue;
    const costNanos = minimumCostOf(model, nowMs);
    if (costNanos === 0n) canBeFree = true;
    else if (paidNanos === undefined || costNanos < paidNanos) paidNanos = costNanos;
    if (paidNanos !== undefined && paidNanos <= enoughNanos) break;
  }
  return { paidNanos, canBeFree };
}

/** Every prompt and every response has at least one token. */
function minimumCostOf({ prices, cache }: Model, nowMs: number): Nanos {
  const price = priceInForce(prices, nowMs)!;
  return cache ? highestCost(1, 0, percentOf(price, cache.pricePercent)) : highestCost(1, 1, price);
}

/** The most tokens that a request can have. A bound and not an estimate, because the held credit is computed from it. */
export interface TokenBound extends SampledBound {
  /** The client's `max_tokens`, for each choice. Undefined if the client sets none. */
  readonly requestedOutput: number | undefined;
  /** The lowest output limit that every route accepts. A lower one may be raised to it. 0 for models without output. */
  readonly leastOutput: number;
  /** Whether the output may be shortened to what the credit pays for. */
  readonly isShortenable: boolean;
  /** The longest prompt of one sampling, if the model may be sampled several times. */
  readonly largestPrompt?: number;
  /** The name of the output limit in the client's format. */
  readonly limitName: string;
}

/** The credit to hold for a request, and the limit on its output that makes it enough. */
export interface HoldSize {
  readonly amountNanos: Nanos;
  /** The output tokens that the amount pays for, for each choice. */
  readonly maxOutputTokens: number;
  /** The `max_tokens` to send upstream, if the client sets none or a higher value. */
  readonly maxTokens: number | undefined;
  /** Whether the output is shorter than the model and the client allow, or has no optional tools, because the headroom does not pay for more. */
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
export function tokenBoundOf(modelRequest: ModelRequest, prompt: PromptSize, model: Model, leastOutput: number): TokenBound {
  const { format } = modelRequest;
  const requestedOutput = format.maxTokensOf(modelRequest);
  return {
    inputTokens: withinContextWindow(prompt.textBytes + prompt.mediaTokens, model),
    choices: format.choicesOf(modelRequest),
    requestedOutput,
    leastOutput,
    isShortenable: requestedOutput === undefined && !format.isCoveredInFull,
    feeNanos: 0n,
    limitName: fieldNameIn(format.fieldNames, "max_tokens"),
  };
}

export function leastOutputOf({ kind, routes }: Model, findUpstream: FindUpstream): number {
  if (kind === "embedding") return 0;
  // A loop without a closure: this runs for every request.
  for (const { upstream } of routes) if (findUpstream(upstream)?.settings.dialect === "responses") return MIN_OUTPUT_TOKENS;
  return 1;
}

/** The prompt tokens to charge if the upstream does not count them. */
export function promptEstimateOf({ textBytes, mediaTokens }: PromptSize, model: Model): number {
  return withinContextWindow(estimateTokens(textBytes) + mediaTokens, model);
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
    const mayShorten = bound.leastOutput > 0 && (bound.isShortenable || headroom.kind === "max_cost");
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
  // A negative hold would be a grant.
  if (!(bound.inputTokens >= 0)) throw new Error(`a prompt of ${bound.inputTokens} tokens`);
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

/** The hold with a shorter output, reduced to at most this amount. Undefined if not even the least output fits. */
export function shortened(hold: HoldSize, bound: TokenBound, price: Price, headroomNanos: Nanos): HoldSize | undefined {
  const maxOutputTokens = affordableMaxTokens(headroomNanos, bound, price);
  if (maxOutputTokens < bound.leastOutput) return undefined;
  if (maxOutputTokens >= hold.maxOutputTokens) return hold;
  return { amountNanos: amountFor(bound, maxOutputTokens, price), maxOutputTokens, maxTokens: maxOutputTokens, isShortened: true };
}

/** The highest `max_tokens` that an amount pays for. */
export function affordableMaxTokens(amount: Nanos, bound: TokenBound, price: Price): number {
  return Math.floor(affordableOutput(amount - bound.feeNanos, bound.inputTokens, price) / bound.choices);
}

function amountFor(bound: TokenBound, outputTokens: number, price: Price): Nanos {
  return highestCost(bound.inputTokens, Math.max(outputTokens, bound.leastOutput) * bound.choices, price) + bound.feeNanos;
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
  return bound.isShortenable && shortened(hold, bound, price, headroom.leftIfIdleNanos) !== undefined;
}

/** The `max_tokens` that an amount pays for, or the amount that would pay for the shortest response. */
function describeEnough(amount: Nanos, bound: TokenBound, price: Price): string {
  const maxTokens = affordableMaxTokens(amount, bound, price);
  if (maxTokens >= bound.leastOutput) return `which would pay for ${bound.limitName}: ${maxTokens}`;
  const least = amountFor(bound, bound.leastOutput, price);
  return `which does not pay for the prompt: $${formatDollars(least)} would, with the shortest response`;
}

/** The size of a prompt: its text in bytes, its media in tokens. */
export interface PromptSize {
  readonly textBytes: number;
  readonly mediaTokens: number;
  /** How the tokens of the media were estimated, as text; undefined if there are no media. */
  readonly derivation: string | undefined;
}

/**
 * The size of a prompt. The base64 of media does not count as text. The tokens of media are estimated from the decoded content. The most
 * expensive formula among the model's routes is used, because no route is chosen yet. The text is not parsed further.
 */
export function measurePrompt(modelRequest: ModelRequest, model: Model, findUpstream: FindUpstream): PromptSize {
  const parts = modelRequest.format.mediaPartsOf(modelRequest);
  const sentBytes = modelRequest.byteText.length + (modelRequest.addedBytes ?? 0) + (model.defaultsBound?.bytes ?? 0);
  if (!parts) return { textBytes: sentBytes, mediaTokens: 0, derivation: undefined };
  const formulas = formulasOf(model, findUpstream);
  const sums = new MediaSums();
  let mediaBytes = 0;
  const counted = new Set<number>();
  for (const part of parts) {
    const { media, bytes } = mediaInPart(part, modelRequest.byteText, counted);
    mediaBytes += bytes;
    for (const medium of media) sums.add(medium, tokensOf(medium, formulas));
  }
  const textBytes = sentBytes - mediaBytes;
  return { textBytes, mediaTokens: sums.tokens, derivation: `${describeText(textBytes)}, ${sums.describe()}` };
}

export function describeText(bytes: number): string {
  return `${bytes} bytes of text`;
}

function formulasOf({ routes }: Model, findUpstream: FindUpstream): ImageFormula[] {
  return routes.map(({ upstream, upstreamModel }) => imageFormulaFor(upstreamModel, findUpstream(upstream)?.settings.dialect));
}

const NOUNS = {
  image: ["image", "images"],
  audio: ["recording", "recordings"],
  file: ["file", "files"],
  medium: ["medium", "media"],
} as const;

function nounFor(kind: Medium["kind"], count: number): string {
  return NOUNS[kind][count === 1 ? 0 : 1];
}

/** The media of a prompt, summed by kind and by estimation method. */
class MediaSums {
  tokens = 0;
  readonly #groups = new Map<string, { count: number; tokens: number; readonly kind: Medium["kind"]; readonly by: MediumTokens["by"] }>();

  add({ kind }: Medium, { tokens, by }: MediumTokens): void {
    this.tokens += tokens;
    const name = `${kind} ${by}`;
    const group = this.#groups.get(name) ?? { count: 0, tokens: 0, kind, by };
    group.count++;
    group.tokens += tokens;
    this.#groups.set(name, group);
  }

  /** For example `2 images by dimensions: 1530 tokens, 1 file by bound: 300000 tokens`. */
  describe(): string {
    const groups = [...this.#groups.values()];
    return groups.map(({ count, kind, by, tokens }) => `${count} ${nounFor(kind, count)} by ${by}: ${tokens} tokens`).join(", ");
  }
}

/** The price and the size of a prompt. */
export interface PromptTerms {
  readonly price: Price;
  /** The prompt tokens to charge if the upstream does not count them. */
  readonly promptEstimate: number;
  /** How the tokens of the prompt's media were estimated; undefined if it has no media. */
  readonly promptDerivation: string | undefined;
  /** The prompt tokens that the hold pays for, and the most that an upstream may plausibly count. */
  readonly maxInputTokens: number;
  readonly plausibleInputTokens: number;
  /** What the hold pays for besides tokens at the usual rates. */
  readonly premium: PremiumDemand | undefined;
}

/** The terms on which one model serves a request. */
export interface ServingTerms extends PromptTerms {
  readonly model: Model;
  /** The number of choices; each may have `maxOutputTokens`. */
  readonly choices: number;
  /** The `max_tokens` to send upstream, if it differs from the client's. */
  readonly maxTokens: number | undefined;
  /** The output tokens that the hold pays for, for each choice. */
  readonly maxOutputTokens: number;
}

/** A model that may serve a request instead of the requested one, with its own cost bound. */
export interface FallbackCandidate extends ServingTerms {
  readonly on: readonly FallbackCondition[];
  /** The most that the request can cost with this model. */
  readonly amountNanos: Nanos;
  /** Whether the output is shortened because the headroom does not pay for more. */
  readonly isShortened: boolean;
}

/** What a provider may add to a prompt: its chat template, descriptions of tools, instructions, search results. */
const ADDED_INPUT_TOKENS = 16_384;

/** The largest context windows. A prompt with media may fill them: the length of a video at a URL is not known. */
const MEDIA_INPUT_TOKENS = 2_000_000;

/** Reasoning tokens, for each choice, that a server does not count against `max_tokens`. The largest thinking budgets are this high. */
const HIDDEN_OUTPUT_TOKENS = 131_072;

type Terms = Pick<ServingTerms, "maxInputTokens" | "plausibleInputTokens" | "maxOutputTokens" | "choices" | "price">;

/** The most prompt tokens that are plausible for the request. */
export function plausibleInputOf({ textBytes, mediaTokens }: PromptSize, { contextWindow }: Model): number {
  const media = mediaTokens > 0 ? Math.max(mediaTokens, MEDIA_INPUT_TOKENS) : 0;
  return Math.min(textBytes + media, contextWindow ?? Number.POSITIVE_INFINITY) + ADDED_INPUT_TOKENS;
}

/**
 * The counts to charge: the upstream's counts, with an estimate for whatever they do not cover. Counts that are too high for the request
 * are an error of the upstream, or fraud: the bound, which the hold pays for, is charged instead. Estimates need no such check, because
 * they are made from received text. `demand`: what the upstream was asked for besides tokens at the usual rates.
 */
export function countUsage(
  received: ReceivedUsage,
  terms: Terms,
  demand: PremiumDemand | undefined,
  isWhole: boolean,
  promptEstimate: number,
): CountedUsage {
  const counted = countTokens(received, promptEstimate, isWhole);
  const priced = counted.usage.premium ? onlyDemanded(counted, counted.usage.premium, demand, terms.price) : counted;
  if (!received.usage) return priced;
  const isInputPlausible = received.usage.promptTokens <= terms.plausibleInputTokens;
  const isOutputPlausible = received.usage.completionTokens <= (terms.maxOutputTokens + HIDDEN_OUTPUT_TOKENS) * terms.choices;
  if (isInputPlausible && isOutputPlausible) return priced;
  const input = isInputPlausible ? counted.usage : { promptTokens: terms.maxInputTokens, cachedTokens: 0, cacheWriteTokens: 0 };
  const output = isOutputPlausible ? counted.usage : { completionTokens: maxOutputOf(terms), reasoningTokens: 0 };
  const { premium } = priced.usage;
  const usage = { ...toUsage(input, output), ...(premium && { premium: isInputPlausible ? premium : { ...premium, hourWriteTokens: 0 } }) };
  return { ...priced, usage, provenance: "estimated", isBounded: true };
}

/**
 * The counts with only what the request has asked for, and the hold pays for. An upstream may use more by settings of the operator's
 * account, which operators must know. Code that a search runs is part of it.
 */
function onlyDemanded(counted: CountedUsage, used: PremiumUse, demand: PremiumDemand | undefined, price: Price): CountedUsage {
  const isHourDemanded = used.hourWriteTokens === 0 || demand?.hasHourWrites === true;
  const multipliers = used.multipliers.filter((option) => demand?.multipliers.has(option));
  const allowed = (tool: string): number =>
    valueOf(price.toolFees, tool) === 0n ? Number.POSITIVE_INFINITY : (demand?.toolCalls.get(tool) ?? 0);
  const excess = Object.entries(used.toolCalls).filter(([tool, calls]) => calls > allowed(tool));
  if (isHourDemanded && multipliers.length === used.multipliers.length && excess.length === 0) return counted;
  const calls = Object.entries(used.toolCalls).map(([tool, count]) => [tool, Math.min(count, allowed(tool))] as const);
  const premium = {
    ...used,
    hourWriteTokens: isHourDemanded ? used.hourWriteTokens : 0,
    toolCalls: Object.fromEntries(calls.filter(([, count]) => count > 0)),
    multipliers,
  };
  const tools = excess.map(([tool]) => tool).filter((tool) => tool !== CODE || demand?.toolCalls.has(CODE));
  const options = used.multipliers.filter((option) => !multipliers.includes(option));
  const [undemanded] = [...(isHourDemanded ? [] : ["cache_write_1h"]), ...options, ...tools];
  return { ...counted, usage: { ...counted.usage, premium }, ...(undemanded !== undefined && { undemanded }) };
}

const CODE = "code_execution";

/** What a cached response has used. */
function demandOf({ hourWriteTokens, toolCalls, multipliers }: PremiumUse): PremiumDemand {
  const demand = new PremiumDemand();
  if (hourWriteTokens > 0) demand.hourWrites();
  for (const option of multipliers) demand.multiplier(option);
  for (const [tool, maxCalls] of Object.entries(toolCalls)) demand.tool(tool, { maxCalls });
  return demand;
}

/**
 * The counts to charge for a call that was cancelled before the upstream had counted its output. Some of the output may be hidden, so the
 * charge covers all the output that the hold pays for. If the received counts cover the received text, the upstream counts while it
 * streams, hidden output included, and its counts are charged.
 */
export function countInterruptedCall(
  received: ReceivedUsage,
  terms: Terms & Pick<ServingTerms, "promptEstimate">,
  demand: PremiumDemand | undefined,
): CountedUsage {
  const counted = countUsage(received, terms, demand, false, terms.promptEstimate);
  const isCounted = received.usage !== undefined && received.uncountedBytes === 0 && !received.isOutputUncounted;
  if (isCounted || counted.isBounded) return counted;
  const completionTokens = Math.max(counted.usage.completionTokens, maxOutputOf(terms));
  const usage = { ...counted.usage, completionTokens };
  return { usage: demand?.toolCalls.size ? withAllCalls(usage, terms, demand) : usage, provenance: "estimated" };
}

/** The tools that ran are as hidden as the output: each call has a fee, and its results are read with the prompt again. */
function withAllCalls(usage: Usage, { maxInputTokens }: Terms, { toolCalls }: PremiumDemand): Usage {
  const premium = { ...(usage.premium ?? NO_PREMIUM), toolCalls: Object.fromEntries(toolCalls) };
  return { ...usage, promptTokens: Math.max(usage.promptTokens, maxInputTokens), premium };
}

function maxOutputOf({ maxOutputTokens, choices }: Terms): number {
  return maxOutputTokens * choices;
}

function toUsage(
  { promptTokens, cachedTokens, cacheWriteTokens }: Pick<Usage, "promptTokens" | "cachedTokens" | "cacheWriteTokens">,
  { completionTokens, reasoningTokens }: Pick<Usage, "completionTokens" | "reasoningTokens">,
): Usage {
  return { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens };
}
