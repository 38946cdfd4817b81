import type { KeyRecord } from "../../access/api-key.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { viewState } from "../../models/declared-model.ts";
import type { ApiError } from "../../requests/api-error.ts";
import type { Attribution } from "../../money/attribution.ts";
import { formatDollars } from "../../money/money.ts";
import { reportedDrops } from "../../requests/map-parameters.ts";
import type { Headroom } from "../../money/headroom.ts";
import type { Assessment } from "../admission/assess.ts";
import type { Target } from "../routing/route-choice.ts";
import { defaultMaxTokens, sentMaxTokens } from "../routing/default-max-tokens.ts";
import type { Gateway } from "../gateway.ts";
import { cappedPurses } from "../admission/capped-purses.ts";
import { headroomsFor } from "../admission/headroom.ts";
import { fullHold, requestedMaxTokens, tokenBoundOf, type HoldSize } from "../admission/hold.ts";
import { allLimitScopes } from "../admission/rate-limits.ts";
import { describeText, measurePrompt, type PromptSize } from "../admission/prompt-size.ts";
import type { KeyFigures } from "../key-view/key-records.ts";
import { viewLimits } from "../key-view/limit-view.ts";
import { viewUsage } from "../key-view/usage-view.ts";
import type { RoutePlan } from "./plan-routes.ts";
import { statusOf, type ExcludedRoute } from "../routing/route-candidates.ts";

/** The results of a dry run. */
export interface DryRunResults {
  readonly caller: KeyRecord;
  readonly chat: ChatRequest;
  readonly attribution: Attribution | undefined;
  readonly gateway: Gateway;
  readonly assessed: Partial<Assessment>;
  readonly routes: RoutePlan | undefined;
  /** The request whose stored reply would be replayed. */
  readonly replayed: string | undefined;
  readonly error: ApiError | undefined;
  /** Undefined where they cannot be read. */
  readonly figures: KeyFigures | undefined;
}

/** The JSON that the client receives. */
export function viewDryRun(results: DryRunResults): Record<string, unknown> {
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

/** Reveals nothing about a model that the key may not call, not even whether it exists. */
function viewModel({ chat, assessed: { model }, error }: DryRunResults): Record<string, unknown> {
  if (model) return { id: model.id, allowed: true, ...viewState(model.state) };
  const allowed = error?.code === "model_not_allowed" ? false : null;
  return { id: chat.model, allowed, state: null, shutdown_date: null, replacement: null };
}

/** The hold of the request. Where it is rejected, the hold that it would need. */
function holdOf({ chat, assessed: { hold, model, price } }: DryRunResults, prompt: PromptSize | undefined): HoldSize | undefined {
  if (hold || !model || !price || !prompt) return hold;
  return fullHold(tokenBoundOf(chat, prompt, model), model, price);
}

/** Those that can serve the request, then the others, with the reason why not. */
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

/** Without the upstream model, as of a route. Whether the request is in the percentage is decided by its ID, which a dry run has of its own. */
function viewMirror({ gateway, assessed: { model }, routes, error }: DryRunResults): Record<string, unknown> | null {
  if (!model?.mirror || !routes || error || !gateway.sendsRouteHeaders) return null;
  const { upstream, percent } = model.mirror;
  return { upstream, percent };
}

/** Undefined where there would be no call. */
function promptOf({ chat, assessed: { model, findUpstream, cache } }: DryRunResults): PromptSize | undefined {
  return model && findUpstream && !cache?.hit ? measurePrompt(chat, model, findUpstream) : undefined;
}

function maxTokensOf({ chat, assessed: { cache }, routes }: DryRunResults, hold: HoldSize | undefined): number | null {
  if (!hold || cache?.hit) return null;
  const first = routes?.order[0];
  const sent = first?.chat ?? chat;
  const byDefault = first && defaultMaxTokens(first.upstream.settings, sent, hold.maxOutputTokens);
  return (first ? sentMaxTokens(hold.maxTokens, first) : hold.maxTokens) ?? requestedMaxTokens(sent) ?? byDefault ?? null;
}

function droppedIn({ chat, assessed: { cache }, routes }: DryRunResults): readonly string[] {
  if (cache?.hit) return cache.hit.dropped;
  const first = routes?.order[0];
  return first ? reportedDrops(first.parameterMapping, chat.outline) : [];
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

function viewRoute(target: Target, at: number, { chat }: DryRunResults): Record<string, unknown> {
  const { route, parameterMapping, reason } = target;
  return {
    ...viewUpstream(route),
    standing: statusOf(target),
    order: at + 1,
    why: reason,
    dropped: reportedDrops(parameterMapping, chat.outline),
    renamed: parameterMapping.renamed,
    refused: [],
  };
}

function viewExcluded({ route, reason, refused = [] }: ExcludedRoute): Record<string, unknown> {
  return { ...viewUpstream(route), standing: reason, order: null, why: null, dropped: [], renamed: {}, refused };
}

/** Clients see of a route only what determines its order: the upstream model and the weight are for operators. */
function viewUpstream({ upstream, priority }: Target["route"]): Record<string, unknown> {
  return { upstream, priority };
}
