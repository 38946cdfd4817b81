import type { Purse } from "../../money/purse.ts";
import { type Nanos, formatDollars, parseDollars } from "../../money/money.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Gateway, FindUpstream } from "../gateway.ts";
import { loadSpending, pursesOf, type CappedPurse, headroomsFor, cappedPurses, CREDIT_CODES, remainingFor } from "./headroom.ts";
import { type FallbackCandidate, boundCallCost, boundCachedCost, type CostBound } from "./cost-bound.ts";
import type { Exchange } from "../../http/endpoint.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { Attribution } from "../../money/attribution.ts";
import type { CallerFormat, ModelRequest } from "../formats/caller-format.ts";
import type { NewHold } from "../../stores/ledger/ledger-store.ts";
import type { LimitTicket } from "../../stores/limits/limit-store.ts";
import { reauthenticate } from "../authentication.ts";
import { Admission, type CacheUse } from "./admission.ts";
import { allLimitScopes, takeLimits } from "./rate-limits.ts";
import type { Account } from "../../access/account.ts";
import { isAllowed, isOpenTo, mayCall, type Catalog, type Model, type ModelKind } from "../../models/catalog.ts";
import { MODEL_PATHS } from "../../requests/request-notes.ts";
import { authorityAway, NOT_CURRENT } from "../../requests/authority-away.ts";
import { priceInForce } from "../../money/price.ts";
import type { Headroom } from "../../money/headroom.ts";
import { lookUpCache } from "../response-cache.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";
import type { FallbackCondition } from "../../models/fallbacks.ts";

/**
 * The maximum number of waits per request: for a larger lease, for another process that counts the rate limits, or for the sum of an end
 * user's spending.
 */
const MAX_WAITS = 3;

/**
 * Admits a request, or throws the error that the client receives: 402, 403 or 429. The most that it can cost is held, durably, before this
 * resolves. Nothing else runs between the check of the credit and the hold, so concurrent requests cannot overspend. After each wait for
 * another process the checks are made again: the key may have been revoked, and the credit held by another request.
 */
export async function admit(sender: KeyRecord, modelRequest: ModelRequest, exchange: Exchange, gateway: Gateway): Promise<Admission> {
  let limits: LimitTicket | undefined;
  if (gateway.catchUp && !isKnownModel(modelRequest.model, sender, gateway)) await gateway.catchUp();
  try {
    for (let waits = 0; ; waits++) {
      const caller = reauthenticate(sender, exchange, gateway);
      const counting = loadSpending(caller, gateway.accountOf(caller), exchange.notes.attribution, gateway.ledger);
      if (counting) {
        await counting;
        continue;
      }
      const assessment = assessAndNote(caller, modelRequest, exchange, gateway, waits < MAX_WAITS);
      if (assessment instanceof LeaseShortage) {
        await gateway.ledger.leases!.widen(assessment.purses, assessment.nanos);
        continue;
      }
      if (!limits) {
        const taking = takeLimits(allLimitScopes(caller, assessment.account, exchange.notes.attribution), assessment.tokens, gateway);
        // The tokens stay as estimated before the wait: `end` corrects them.
        limits = taking instanceof Promise ? await taking : taking;
        if (taking instanceof Promise) continue;
      }
      await holdAndNote(assessment, caller, exchange, gateway);
      gateway.lastUsed.noteModel(caller.id, assessment.model.id, assessment.nowMs);
      return toAdmission(assessment, limits, exchange, gateway);
    }
  } catch (error) {
    limits?.undo();
    throw error;
  }
}

/** `mayWiden`: whether a lease that does not cover the request may still be widened. */
function assessAndNote(
  caller: KeyRecord,
  modelRequest: ModelRequest,
  { request, notes }: Exchange,
  gateway: Gateway,
  mayWiden: boolean,
): Assessment | LeaseShortage {
  const received = { caller, modelRequest, headers: request.headers, attribution: notes.attribution };
  const assessment = gateway.ledger.leases && mayWiden ? assessWithinLease(received, gateway) : assess(received, gateway);
  if (assessment instanceof LeaseShortage) return assessment;
  notes.model = assessment.model.id;
  if (assessment.cache) notes.cache = assessment.cache.hit ? "hit" : "miss";
  return assessment;
}

/** Records the remaining amounts in the same turn as the hold, because the hold takes effect immediately. */
function holdAndNote(assessment: Assessment, caller: KeyRecord, exchange: Exchange, { ledger }: Gateway): Promise<void> {
  const held = ledger.hold(holdOf(assessment, caller, exchange));
  exchange.notes.remaining = remainingFor(caller, assessment.account, ledger, assessment.nowMs, assessment.capped);
  return held;
}

function holdOf(assessment: Assessment, caller: KeyRecord, { requestId, notes }: Exchange): NewHold {
  return {
    accountId: assessment.account.id,
    atMs: assessment.nowMs,
    actor: caller.id,
    reason: holdReason(assessment),
    requestId,
    keyId: caller.id,
    model: assessment.model.id,
    priceVersion: assessment.price.version,
    attribution: assessment.capped.length === 0 ? notes.attribution : withCounts(notes.attribution, assessment.capped),
    amountNanos: assessment.heldNanos,
  };
}

/** Records with the hold which spend caps it counts against, so that every process uses the same caps even if they change later. */
function withCounts(attribution: Attribution | undefined, capped: readonly CappedPurse[]): Attribution {
  return { ...attribution, counts: capped.map(({ counted }) => counted) };
}

function toAdmission(assessment: Assessment, limits: LimitTicket, { requestId }: Exchange, gateway: Gateway): Admission {
  const { account, model, findUpstream, price, promptEstimate, promptDerivation, hold, maxCostNanos, cache, fallbacks } = assessment;
  const { premium, maxInputTokens, plausibleInputTokens, tokens } = assessment;
  const { ledger, deviations, onDisconnect, nowMs } = gateway;
  return new Admission({
    requestId,
    accountId: account.id,
    model,
    findUpstream,
    price,
    premium,
    promptEstimate,
    promptDerivation,
    maxInputTokens,
    plausibleInputTokens,
    choices: tokens.choices,
    maxTokens: hold.maxTokens,
    maxOutputTokens: hold.maxOutputTokens,
    maxCostNanos,
    fallbacks: fallbacks.candidates,
    cache,
    ledger,
    limits,
    deviations,
    onDisconnect,
    nowMs,
  });
}

/** Receipts show this text. The auditor parses the fallback models and the `x-max-cost` in it. */
function holdReason({ promptDerivation, fallbacks: { candidates }, maxCostNanos }: Assessment): string {
  let request = promptDerivation === undefined ? "a request" : `a request of ${promptDerivation}`;
  if (candidates.length > 0) request += ` that may fall back to ${candidates.map(({ model }) => model.id).join(", ")}`;
  return maxCostNanos === undefined ? request : `${request} with x-max-cost ${formatDollars(maxCostNanos)}`;
}

/** The parts of a received request that the decision depends on. */
interface ReceivedRequest {
  readonly caller: KeyRecord;
  readonly modelRequest: ModelRequest;
  readonly headers: HeaderFields;
  readonly attribution: Attribution | undefined;
}

/** The decision about a request, before credit or limits are taken for it. */
export interface Assessment extends CostBound {
  readonly nowMs: number;
  readonly account: Account;
  readonly model: Model;
  readonly findUpstream: FindUpstream;
  readonly maxCostNanos: Nanos | undefined;
  readonly cache: CacheUse | undefined;
  /** The models that may serve it instead. */
  readonly fallbacks: RequestFallbacks;
  /** The credit to hold: the highest cost bound of the model and its fallbacks. */
  readonly heldNanos: Nanos;
  /** The end user and the tags that have spend caps. */
  readonly capped: readonly CappedPurse[];
}

/**
 * Decides whether a request may proceed, and at what price: its key may call the model, and the headroom covers its cost bound. Otherwise
 * throws the error that the client receives. `report` receives each result as soon as it is known, even if a later check throws. Nothing is
 * reserved, written or recorded here: `admit` does that in the same turn of the event loop, while the results are still valid.
 */
export function assess(
  { caller, modelRequest, headers, attribution }: ReceivedRequest,
  gateway: Gateway,
  report?: (results: Partial<Assessment>) => void,
  findHeadrooms: typeof headroomsFor = headroomsFor,
): Assessment {
  const nowMs = gateway.nowMs();
  const account = gateway.accountOf(caller);
  const catalog = gateway.catalog.snapshot(account.priceList);
  const model = findModel(caller, account, modelRequest.model, catalog, gateway);
  report?.({ model });
  requireCallable(model, caller, account, nowMs);
  requireKind(model, modelRequest.format);

  const findUpstream = gateway.upstreams();
  const price = priceInForce(model.prices, nowMs)!;
  report?.({ findUpstream, price });
  const requestedMaxCost = readMaxCost(headers);
  const capped = cappedPurses(caller, account, attribution);
  const headrooms = findHeadrooms(caller, account, gateway.ledger, nowMs, capped);
  if (requestedMaxCost !== undefined) headrooms.push(maxCostHeadroom(requestedMaxCost));
  const lookup = model.cache && lookUpCache(modelRequest, model, account.id, headers, findUpstream, gateway);
  const cachedCost = lookup?.hit && boundCachedCost(lookup.hit, model.cache!, price, headrooms);
  const bound = cachedCost ?? boundCallCost(modelRequest, model, findUpstream, price, headrooms);
  const hasFallbacks = model.fallbacks.length > 0 && !cachedCost;
  const fallbacks = hasFallbacks
    ? findFallbacks(modelRequest, model, account, catalog, findUpstream, headrooms, nowMs)
    : NO_FALLBACK_CANDIDATES;
  const storeAs = cachedCost || bound.hold.isShortened ? undefined : lookup?.key;
  const cache = lookup && { hit: cachedCost && lookup.hit, storeAs };
  // The cost of a cached response is exact: there is nothing to stop while it is sent.
  const maxCostNanos = cachedCost ? undefined : requestedMaxCost;
  const { price: responsePrice, premium, promptEstimate, promptDerivation, maxInputTokens, plausibleInputTokens, hold, tokens } = bound;
  return {
    price: responsePrice,
    premium,
    promptEstimate,
    promptDerivation,
    maxInputTokens,
    plausibleInputTokens,
    hold,
    tokens,
    nowMs,
    account,
    model,
    findUpstream,
    maxCostNanos,
    cache,
    fallbacks,
    heldNanos: hasFallbacks ? highestHold(hold.amountNanos, fallbacks.candidates) : hold.amountNanos,
    capped,
  };
}

/** Whether the model exists for the account of the key. A model that is restricted to other accounts is looked up like an unknown model. */
function isKnownModel(id: string, { accountId }: KeyRecord, gateway: Gateway): boolean {
  const model = gateway.catalog.snapshot().get(id);
  return model !== undefined && isOpenTo(accountId, model);
}

/** The model, if this key may call it. An unknown model and one that is not allowed get the same error, so that it reveals nothing. */
export function findModel(caller: KeyRecord, account: Account, id: string, catalog: Catalog, gateway: Pick<Gateway, "isCurrent">): Model {
  const model = catalog.get(id);
  if (model && isAllowed(caller, account, model)) return model;
  if (gateway.isCurrent?.() === false) throw authorityAway(NOT_CURRENT);
  const name = JSON.stringify(id.slice(0, 200));
  throw new ApiError("model_not_allowed", `This key may not call a model ${name}. GET /v1/models lists the models it may call.`, {
    param: "model",
  });
}

/** Throws for a model that the key is allowed to call but that is retired or has no price. */
export function requireCallable(model: Model, caller: KeyRecord, account: Account, nowMs: number): void {
  if (!mayCall(caller, account, model, nowMs)) throw notCallable(model);
}

/** Throws if the endpoint calls models of another kind. */
function requireKind({ id, kind }: Model, format: CallerFormat): void {
  if (kind === format.kind) return;
  const message = `The model ${id} is of the kind ${kind}: call it at POST ${ENDPOINT_OF[kind]}, not at ${format.path}.`;
  throw new ApiError("invalid_value", message, { param: "model" });
}

const ENDPOINT_OF: Readonly<Record<ModelKind, string>> = { chat: MODEL_PATHS.chat, embedding: MODEL_PATHS.embeddings };

/** The error for a model that the key is allowed to call but that is retired or has no price. */
function notCallable({ id, state, prices }: Model): ApiError {
  if (state.name === "retired") {
    return new ApiError("model_retired", `The model ${id} was retired. Use ${state.replacement} instead.`, { param: "model" });
  }
  const since = prices[0] && ` before ${new Date(prices[0].effectiveAtMs).toISOString().slice(0, 10)}`;
  const message = `The model ${id} has no price${since ?? ""}, so it cannot be called. The operator can set one, or declare it free.`;
  return new ApiError("model_not_allowed", message, { param: "model" });
}

function readMaxCost(headers: HeaderFields): Nanos | undefined {
  const text = headers.get("x-max-cost");
  if (text === null) return undefined;
  const nanos = parseDollars(text.trim());
  if (nanos !== undefined && nanos > 0n) return nanos;
  throw new ApiError("invalid_value", "The header x-max-cost must be an amount of dollars such as 0.05.", { param: "x-max-cost" });
}

function maxCostHeadroom(nanos: Nanos): Headroom {
  return { name: "this request", kind: "max_cost", leftNanos: nanos, leftIfIdleNanos: nanos, resetsAtMs: undefined };
}

/** Why a fallback cannot serve a request: it no longer exists, it is retired, it has no price, or it costs more than the headroom. */
type FallbackExclusion = "no_model" | "retired" | "no_price" | "not_affordable";

interface ExcludedFallback {
  readonly id: string;
  readonly on: readonly FallbackCondition[];
  readonly reason: FallbackExclusion;
}

/** The fallbacks of a request, in order. */
interface RequestFallbacks {
  readonly candidates: readonly FallbackCandidate[];
  readonly excluded: readonly ExcludedFallback[];
}

const NO_FALLBACK_CANDIDATES: RequestFallbacks = { candidates: [], excluded: [] };

/**
 * The fallbacks that can serve a request, each with its cost bound at the account's price. Allow-lists are checked for the requested model
 * only, but a model that is restricted to other accounts never serves. A fallback that the headroom cannot pay for is excluded, so that a
 * configured fallback never causes a rejection.
 */
function findFallbacks(
  modelRequest: ModelRequest,
  model: Model,
  account: Account,
  catalog: Catalog,
  findUpstream: FindUpstream,
  headrooms: readonly Headroom[],
  nowMs: number,
): RequestFallbacks {
  const candidates: FallbackCandidate[] = [];
  const excluded: ExcludedFallback[] = [];
  for (const { model: id, on } of model.fallbacks) {
    // A wildcard model may name one of the models that it stands for.
    if (id === model.id) continue;
    const fallback = catalog.get(id);
    // Not listed as excluded either: a dry run would reveal its name.
    if (fallback && !(isOpenTo(account.id, fallback) && fallback.kind === model.kind)) continue;
    const found = boundFallback(modelRequest, fallback, findUpstream, headrooms, nowMs);
    if (typeof found === "string") excluded.push({ id, on, reason: found });
    else candidates.push({ ...found, on });
  }
  return { candidates, excluded };
}

/** The credit to hold for a request: enough for whichever model serves it. */
function highestHold(ownNanos: Nanos, fallbacks: readonly FallbackCandidate[]): Nanos {
  let highest = ownNanos;
  for (const { amountNanos } of fallbacks) if (amountNanos > highest) highest = amountNanos;
  return highest;
}

function boundFallback(
  modelRequest: ModelRequest,
  model: Model | undefined,
  findUpstream: FindUpstream,
  headrooms: readonly Headroom[],
  nowMs: number,
): Omit<FallbackCandidate, "on"> | FallbackExclusion {
  if (!model) return "no_model";
  if (model.state.name === "retired") return "retired";
  const price = priceInForce(model.prices, nowMs);
  if (!price) return "no_price";
  try {
    const bound = boundCallCost(modelRequest, model, findUpstream, price, headrooms);
    const { hold, tokens, ...terms } = bound;
    return { model, ...terms, choices: tokens.choices, ...hold };
  } catch (error) {
    if (error instanceof ApiError) return "not_affordable";
    throw error;
  }
}

/** The lease of this process is too small for a request. The account may have more credit. */
class LeaseShortage {
  readonly purses: readonly Purse[];
  readonly nanos: Nanos;

  constructor(purses: readonly Purse[], nanos: Nanos) {
    this.purses = purses;
    this.nanos = nanos;
  }
}

/**
 * Assesses a request in a process that has leased a part of the credit. Returns the shortage if it would be rejected, or its output
 * shortened, because of credit or a spend cap: more is leased before that happens.
 */
function assessWithinLease(received: ReceivedRequest, gateway: Gateway): Assessment | LeaseShortage {
  try {
    const assessment = assess(received, gateway);
    return isShort(assessment) ? shortageOf(received, gateway) : assessment;
  } catch (error) {
    if (error instanceof ApiError && CREDIT_CODES.has(error.code)) return shortageOf(received, gateway);
    throw error;
  }
}

/** Whether more credit would allow more output, or another fallback. */
function isShort({ hold, fallbacks: { candidates, excluded } }: Assessment): boolean {
  return (
    hold.isShortened || candidates.some(({ isShortened }) => isShortened) || excluded.some(({ reason }) => reason === "not_affordable")
  );
}

/**
 * Leases the credit that a request needs, if this process has leased too little, and adds up spending. For callers that only report, and
 * hold nothing.
 */
export async function leaseFor(received: ReceivedRequest, gateway: Gateway): Promise<void> {
  await loadSpending(received.caller, gateway.accountOf(received.caller), received.attribution, gateway.ledger);
  const { leases } = gateway.ledger;
  if (!leases) return;
  const assessed = assessWithinLease(received, gateway);
  if (assessed instanceof LeaseShortage) await leases.widen(assessed.purses, assessed.nanos);
}

/** The full cost bound of the request, as if the credit were unlimited. */
function shortageOf(received: ReceivedRequest, gateway: Gateway): LeaseShortage {
  const { heldNanos, account, capped } = assess(received, gateway, undefined, () => []);
  return new LeaseShortage(pursesOf(received.caller, account, capped), heldNanos);
}
