import type { Exchange } from "../../http/endpoint.ts";
import { redactSecrets } from "../../http/redact-secrets.ts";
import { withoutPlaceholders } from "../../lib/json/omitted-text.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { DRY_RUN_TYPE } from "../../requests/chat-headers.ts";
import { droppedFields, type ModelRequest } from "../formats/caller-format.ts";
import { maxTokensOfChat } from "../formats/chat-format.ts";
import { ApiError } from "../../requests/api-error.ts";
import { assess, type Assessment, leaseFor } from "../admission/admit.ts";
import { allLimitScopes, checkLimits, fetchLimitStates } from "../admission/rate-limits.ts";
import { reauthenticate } from "../authentication.ts";
import type { Gateway } from "../gateway.ts";
import { findEarlier } from "../idempotency.ts";
import { readSwitch } from "../reading/read-switch.ts";
import {
  type Target,
  statusOf,
  type ExcludedRoute,
  limitReached,
  candidatesFor,
  chooseRoute,
  type RoutedAdmission,
} from "../routing/route-choice.ts";
import { readTimeout } from "../routing/caller-deadline.ts";
import { fallbackConditionOf } from "../routing/fallback-calls.ts";
import type { KeyFigures } from "../key-view/key-records.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";
import { viewState } from "../../models/declared-model.ts";
import type { Attribution } from "../../money/attribution.ts";
import { formatDollars } from "../../money/money.ts";
import type { Headroom } from "../../money/headroom.ts";
import { defaultMaxTokens, sentMaxTokens } from "../routing/default-max-tokens.ts";
import { headroomsFor, cappedPurses } from "../admission/headroom.ts";
import {
  callBoundOf,
  fullHold,
  heldPrice,
  leastOutputOf,
  type HoldSize,
  describeText,
  measurePrompt,
  type PromptSize,
} from "../admission/cost-bound.ts";
import { soldIn } from "../admission/premium-bound.ts";
import { viewLimits, takeUsageReport, viewUsage } from "../key-view/key-view.ts";

/** Whether the request is a dry run (`x-dry-run: 1`). */
export function isDryRun(headers: HeaderFields): boolean {
  return readSwitch(headers, "x-dry-run");
}

/**
 * Dry run: reports what would happen to a request, without a call and without a charge. It calls the functions of the real steps, but
 * takes, writes and locks nothing, so that the real request finds the reported state. A dry run does not count against rate limits: it
 * costs no more than a rejected request, which does not count either. Only its usage report, which reads the ledger, has a separate rate
 * limit.
 */
export async function dryRun(sender: KeyRecord, modelRequest: ModelRequest, exchange: Exchange, gateway: Gateway): Promise<Reply> {
  const { request, notes } = exchange;
  const caller = reauthenticate(sender, exchange, gateway);
  notes.isDryRun = true;
  const assessed: Partial<Assessment> = {};
  let replayed: string | undefined;
  let routes: RoutePlan | undefined;
  let error = await errorIn(async () => {
    readTimeout(request.headers, modelRequest);
    await fetchLimitStates(allLimitScopes(caller, gateway.accountOf(caller), notes.attribution), gateway);
    const earlier = await findEarlier(caller, modelRequest, request.headers, gateway);
    if (earlier) replayed = earlier.requestId;
    else {
      const received = { caller, modelRequest, headers: request.headers, attribution: notes.attribution };
      await leaseFor(received, gateway);
      const assessment = assess(received, gateway, (results) => Object.assign(assessed, results));
      const { account, tokens } = Object.assign(assessed, assessment);
      await checkLimits(allLimitScopes(caller, account, notes.attribution), tokens, gateway);
    }
  });
  // The routes are reported even if the request exceeds the credit.
  if (assessed.findUpstream && !assessed.cache?.hit) {
    const premium = premiumOf(modelRequest, assessed);
    routes = planRoutes(
      modelRequest,
      { model: assessed.model!, findUpstream: assessed.findUpstream, accountId: caller.accountId, premium },
      gateway,
    );
    const unavailable = routes.error ?? rejectionOf(routes.order[0]!);
    if (unavailable && !hasFallbackFor(unavailable, assessed)) error ??= unavailable;
  }
  const figures = await readFigures(caller, gateway);
  const report = viewDryRun({ caller, modelRequest, attribution: notes.attribution, gateway, assessed, routes, replayed, error, figures });
  return new Reply(withoutPlaceholders(redactSecrets(JSON.stringify(report))), { headers: { "content-type": DRY_RUN_TYPE } });
}

function hasFallbackFor(error: ApiError, { fallbacks }: Partial<Assessment>): boolean {
  const condition = fallbackConditionOf(error);
  return condition !== undefined && fallbacks !== undefined && fallbacks.candidates.some(({ on }) => on.includes(condition));
}

/** The first route is rate-limited or full only if all routes are. */
function rejectionOf(first: Target): ApiError | undefined {
  return statusOf(first) === "rate_limited" ? limitReached("requests or tokens per minute", 0) : first.state.slots.rejection();
}

/** The usage of the key. Undefined if it was requested too often or cannot be read: the rest of the report does not need it. */
async function readFigures(caller: KeyRecord, gateway: Gateway): Promise<KeyFigures | undefined> {
  let figures: KeyFigures | undefined;
  await errorIn(async () => {
    await takeUsageReport("dry-run", caller, gateway);
    figures = await gateway.keyRecords.read(caller, 0, gateway.nowMs());
  });
  return figures;
}

/** The error that the client would receive; undefined if there is none. */
async function errorIn(step: () => Promise<void>): Promise<ApiError | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The results of a dry run. */
interface DryRunResults {
  readonly caller: KeyRecord;
  readonly modelRequest: ModelRequest;
  readonly attribution: Attribution | undefined;
  readonly gateway: Gateway;
  readonly assessed: Partial<Assessment>;
  readonly routes: RoutePlan | undefined;
  /** The request whose stored reply would be replayed. */
  readonly replayed: string | undefined;
  readonly error: ApiError | undefined;
  /** Undefined if the figures cannot be read. */
  readonly figures: KeyFigures | undefined;
}

/** The JSON that the client receives. */
function viewDryRun(results: DryRunResults): Record<string, unknown> {
  const { caller, gateway, assessed, routes, replayed, error, figures } = results;
  const prompt = promptOf(results);
  const hold = holdOf(results, prompt);
  return {
    object: "chat.completion.explanation",
    status: error?.status ?? 200,
    error: error?.toJSON().error ?? null,
    retry_after: error?.retryAfterSeconds ?? null,
    key: caller.id,
    account: caller.accountId,
    model: viewModel(results),
    replayed: replayed ?? null,
    cache: assessed.cache ? (assessed.cache.hit ? "hit" : "miss") : null,
    hold: hold ? formatDollars(assessed.heldNanos ?? hold.amountNanos) : null,
    prompt_derivation: prompt ? (prompt.derivation ?? describeText(prompt.textBytes)) : null,
    price_version: assessed.price?.version ?? null,
    max_tokens: maxTokensOf(results, hold),
    headroom: viewHeadroom(results),
    usage: figures ? viewUsage(figures) : null,
    dropped: droppedIn(results),
    fallbacks: viewFallbacks(assessed),
    mirror: viewMirror(results),
    routes:
      routes && gateway.sendsRouteHeaders
        ? [...routes.order.map((target, at) => viewRoute(target, at, results)), ...routes.excluded.map(viewExcluded)]
        : null,
  };
}

/** Does not reveal anything about a model that the key may not call, not even whether the model exists. */
function viewModel({ modelRequest, assessed: { model }, error }: DryRunResults): Record<string, unknown> {
  if (model) return { id: model.id, allowed: true, ...viewState(model.state) };
  const allowed = error?.code === "model_not_allowed" ? false : null;
  return { id: modelRequest.model, allowed, state: null, shutdown_date: null, replacement: null };
}

/** The hold of the request or, if the request is rejected, the hold that it would need. */
function holdOf({ modelRequest, assessed }: DryRunResults, prompt: PromptSize | undefined): HoldSize | undefined {
  const { hold, model, price, findUpstream } = assessed;
  if (hold || !model || !price || !prompt || !findUpstream) return hold;
  const premium = soldIn(modelRequest, model, findUpstream, price);
  const bound = callBoundOf(modelRequest, prompt, leastOutputOf(model, findUpstream), model, price, premium);
  return fullHold(bound, model, heldPrice(price, premium, bound));
}

/** What is sold to the request besides tokens at the usual rates, even if the request is rejected for its cost. */
function premiumOf(modelRequest: ModelRequest, { hold, premium, model, findUpstream, price }: Partial<Assessment>): Assessment["premium"] {
  return hold || !model || !findUpstream || !price ? premium : soldIn(modelRequest, model, findUpstream, price);
}

/** The fallbacks that can serve the request, then the others, each with the reason why it cannot. */
function viewFallbacks({ fallbacks }: Partial<Assessment>): readonly Record<string, unknown>[] {
  if (!fallbacks) return [];
  const candidates = fallbacks.candidates.map(({ model, on, amountNanos, price, maxOutputTokens }) => ({
    model: model.id,
    on,
    hold: formatDollars(amountNanos),
    price_version: price.version,
    max_output_tokens: maxOutputTokens,
    excluded: null,
  }));
  const excluded = fallbacks.excluded.map(({ id, on, reason }) => {
    return { model: id, on, hold: null, price_version: null, max_output_tokens: null, excluded: reason };
  });
  return [...candidates, ...excluded];
}

/**
 * The mirror, without its upstream model, as for routes. Whether a request is sampled depends on its ID, and a dry run has a different ID
 * than the real request.
 */
function viewMirror({ gateway, assessed: { model }, routes, error }: DryRunResults): Record<string, unknown> | null {
  if (!model?.mirror || !routes || error || !gateway.sendsRouteHeaders) return null;
  const { upstream, percent } = model.mirror;
  return { upstream, percent };
}

/** Undefined if there would be no call. */
function promptOf({ modelRequest, assessed: { model, findUpstream, cache } }: DryRunResults): PromptSize | undefined {
  return model && findUpstream && !cache?.hit ? measurePrompt(modelRequest, model, findUpstream) : undefined;
}

function maxTokensOf({ modelRequest, assessed: { cache }, routes }: DryRunResults, hold: HoldSize | undefined): number | null {
  if (!hold || cache?.hit) return null;
  const first = routes?.order[0];
  const sent = first?.chat;
  const byDefault = first && defaultMaxTokens(first.upstream.settings, sent, hold.maxOutputTokens);
  return (
    (first ? sentMaxTokens(hold.maxTokens, first) : hold.maxTokens) ??
    (sent ? maxTokensOfChat(sent) : modelRequest.format.maxTokensOf(modelRequest)) ??
    byDefault ??
    null
  );
}

function droppedIn({ modelRequest, assessed: { cache }, routes }: DryRunResults): readonly string[] {
  if (cache?.hit) return cache.hit.dropped;
  const first = routes?.order[0];
  return first ? droppedFields(modelRequest, first.parameterMapping, first.chat === undefined, first.premium) : [];
}

function viewHeadroom({ caller, attribution, gateway }: DryRunResults): Record<string, unknown> {
  const account = gateway.accountOf(caller);
  const all = headroomsFor(caller, account, gateway.ledger, gateway.nowMs(), cappedPurses(caller, account, attribution));
  const headrooms = all.filter(({ isHidden }) => !isHidden);
  const credit = headrooms.find(({ kind }) => kind === "credit");
  const limits = gateway.limits.state(allLimitScopes(caller, account, attribution), gateway.monotonicMs());
  return {
    credit: credit && account.creditLine !== "unlimited" ? formatDollars(credit.leftNanos) : null,
    budgets: headrooms.filter(({ kind }) => kind === "budget").map(viewBudget),
    limits: viewLimits(limits),
  };
}

function viewBudget({ name, leftNanos, resetsAtMs }: Headroom): Record<string, unknown> {
  return { name, left: formatDollars(leftNanos), resets_at: resetsAtMs === undefined ? null : new Date(resetsAtMs).toISOString() };
}

function viewRoute(target: Target, at: number, { modelRequest }: DryRunResults): Record<string, unknown> {
  const { route, parameterMapping, premium, reason } = target;
  return {
    ...viewUpstream(route),
    standing: statusOf(target),
    order: at + 1,
    why: reason,
    dropped: droppedFields(modelRequest, parameterMapping, target.chat === undefined, premium),
    renamed: parameterMapping.renamed,
    refused: [],
  };
}

function viewExcluded({ route, reason, refused = [] }: ExcludedRoute): Record<string, unknown> {
  return { ...viewUpstream(route), standing: reason, order: null, why: null, dropped: [], renamed: {}, refused };
}

/** Clients see only the fields that determine the order of routes: the upstream model and the weight are for operators. */
function viewUpstream({ upstream, priority }: Target["route"]): Record<string, unknown> {
  return { upstream, priority };
}

/** The routes in the order of the attempts, and those that are excluded. */
interface RoutePlan {
  readonly order: readonly Target[];
  readonly excluded: readonly ExcludedRoute[];
  /** The error that the client would receive if no route can serve the request. */
  readonly error: ApiError | undefined;
}

/** Lists the targets in order, as if each attempt had failed. A random choice may differ the next time. */
function planRoutes(modelRequest: ModelRequest, admission: RoutedAdmission, gateway: Gateway): RoutePlan {
  const found = candidatesFor(modelRequest, admission, gateway);
  const { excluded } = found;
  const order: Target[] = [];
  try {
    const choice = chooseRoute(modelRequest, admission, gateway, found, true);
    for (let target = choice.next(); target; target = choice.next()) {
      order.push(target);
      choice.exclude(target, "route");
    }
  } catch (error) {
    if (error instanceof ApiError) return { order, excluded, error };
    throw error;
  }
  return { order, excluded, error: undefined };
}
