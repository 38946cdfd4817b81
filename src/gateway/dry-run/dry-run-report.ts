import type { LimitState } from "../../stores/limits/limit-store.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { viewState } from "../../models/declared-model.ts";
import type { GatewayError } from "../../requests/gateway-error.ts";
import { formatDollars } from "../../money/money.ts";
import { droppedToTell } from "../../models/parameters/parameters.ts";
import type { Headroom } from "../../money/headroom.ts";
import type { Assessment } from "../admission/assess.ts";
import type { Target } from "../routing/route-choice.ts";
import { defaultMaxTokens } from "../routing/default-max-tokens.ts";
import type { Gateway } from "../gateway.ts";
import { headroomsFor } from "../admission/headroom.ts";
import { fullHold, sizeOf, wantedOutputOf, type HoldSize } from "../admission/hold.ts";
import { limitScopes } from "../admission/rate-limits.ts";
import { inTextAlone, measurePrompt, type PromptSize } from "../admission/prompt-size.ts";
import type { RoutePlan } from "./plan-routes.ts";
import { standingOf, type Unfit } from "../routing/route-candidates.ts";

/** All that was found out about a request. */
export interface Explained {
  readonly caller: KeyRecord;
  readonly chat: ChatRequest;
  readonly gateway: Gateway;
  readonly found: Partial<Assessment>;
  readonly routes: RoutePlan | undefined;
  /** The request whose answer would be given again. */
  readonly replayed: string | undefined;
  readonly refusal: GatewayError | undefined;
}

/** What would happen, as the caller reads it. */
export function viewExplanation(explained: Explained): Record<string, unknown> {
  const { caller, gateway, found, routes, replayed, refusal } = explained;
  const prompt = promptOf(explained);
  const hold = holdOf(explained, prompt);
  return {
    object: "chat.completion.explanation",
    status: refusal?.status ?? 200,
    error: refusal?.toJSON().error ?? null,
    retry_after: refusal?.retryAfterSeconds ?? null,
    key: caller.id,
    account: caller.accountId,
    model: viewModel(explained),
    replayed: replayed ?? null,
    cache: found.cache ? (found.cache.kept ? "hit" : "miss") : null,
    hold: hold ? formatDollars(hold.amountNanos) : null,
    prompt_derivation: prompt ? (prompt.derivation ?? inTextAlone(prompt.textBytes)) : null,
    price_version: found.price?.version ?? null,
    max_tokens: maxTokensOf(explained, hold),
    headroom: viewHeadroom(explained),
    dropped: droppedIn(explained),
    routes:
      routes && gateway.tellsRoutes
        ? [...routes.order.map((target, at) => viewRoute(target, at, explained)), ...routes.unfit.map(viewUnfit)]
        : null,
  };
}

/** Of a model that the key may not call nothing is told, not even whether there is one. */
function viewModel({ chat, found: { model }, refusal }: Explained): Record<string, unknown> {
  if (model) return { id: model.id, allowed: true, ...viewState(model.state) };
  const allowed = refusal?.code === "model_not_allowed" ? false : null;
  return { id: chat.model, allowed, state: null, shutdown_date: null, replacement: null };
}

/** What would be set aside. Where that is refused, what would have to be. */
function holdOf({ chat, found: { hold, model, price } }: Explained, prompt: PromptSize | undefined): HoldSize | undefined {
  if (hold || !model || !price || !prompt) return hold;
  return fullHold(sizeOf(chat, prompt, model), model, price);
}

/** Undefined where there would be no call. */
function promptOf({ chat, found: { model, findUpstream, cache } }: Explained): PromptSize | undefined {
  return model && findUpstream && !cache?.kept ? measurePrompt(chat, model, findUpstream) : undefined;
}

function maxTokensOf({ chat, found: { cache }, routes }: Explained, hold: HoldSize | undefined): number | null {
  if (!hold || cache?.kept) return null;
  const first = routes?.order[0];
  const filledIn = first && defaultMaxTokens(first.upstream.settings, chat, hold.outputTokens);
  return hold.maxTokens ?? wantedOutputOf(chat) ?? filledIn ?? null;
}

function droppedIn({ chat, found: { cache }, routes }: Explained): readonly string[] {
  if (cache?.kept) return cache.kept.dropped;
  const first = routes?.order[0];
  return first ? droppedToTell(first.carriage, chat.outline) : [];
}

function viewHeadroom({ caller, gateway }: Explained): Record<string, unknown> {
  const account = gateway.accountOf(caller);
  const rooms = headroomsFor(caller, account, gateway.ledger, gateway.nowMs());
  const limits = gateway.limits.state(limitScopes(caller, account), gateway.monotonicMs());
  return {
    credit: formatDollars(rooms.find(({ kind }) => kind === "credit")!.leftNanos),
    budgets: rooms.filter(({ kind }) => kind === "budget").map(viewBudget),
    limits: { requests: viewLimit(limits.requests), tokens: viewLimit(limits.tokens) },
  };
}

function viewBudget({ name, leftNanos, resetsAtMs }: Headroom): Record<string, unknown> {
  return { name, left: formatDollars(leftNanos), resets_at: resetsAtMs === undefined ? null : new Date(resetsAtMs).toISOString() };
}

function viewLimit(state: LimitState | undefined): Record<string, number> | null {
  return state ? { limit: state.limit, remaining: state.remaining, reset_ms: Math.ceil(state.resetMs) } : null;
}

function viewRoute(target: Target, at: number, { chat }: Explained): Record<string, unknown> {
  const { route, carriage, why } = target;
  return {
    ...viewPlace(route),
    standing: standingOf(target),
    order: at + 1,
    why,
    dropped: droppedToTell(carriage, chat.outline),
    renamed: carriage.renamed,
    refused: [],
  };
}

function viewUnfit({ route, reason, refused = [] }: Unfit): Record<string, unknown> {
  return { ...viewPlace(route), standing: reason, order: null, why: null, dropped: [], renamed: {}, refused };
}

/** Callers are told no more of a route than what makes its order plain: what it is called there, and its share, is the operator's. */
function viewPlace({ upstream, priority }: Target["route"]): Record<string, unknown> {
  return { upstream, priority };
}
