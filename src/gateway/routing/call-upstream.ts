import type { ChunkStream, Completion, Upstream, UpstreamCall } from "../../upstreams/upstream.ts";
import type { Attempt } from "../../requests/attempt.ts";
import { CallerGone } from "../../requests/caller-gone.ts";
import type { Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { Deviation } from "../../models/deviation.ts";
import type { ParameterMapping } from "../../models/parameters/parameters.ts";
import { priceInForce } from "../../money/price.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import { DEFAULT_TIMEOUTS, NO_TIMEOUTS, type Timeouts, type UpstreamSettings } from "../../models/upstream-settings.ts";
import type { Admission } from "../admission/admission.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import type { Answer } from "../reply/pending-response.ts";
import { CallerDeadline, readTimeout } from "./caller-deadline.ts";
import type { RetryBudget } from "./retry-budget.ts";
import type { DeviationCounts } from "./health/deviation-counts.ts";
import type { RouteChoice, Target } from "./route-choice.ts";
import { defaultMaxTokens } from "./default-max-tokens.ts";
import { Attempts, type AttemptsOptions, type ActiveAttempt } from "./attempts.ts";
import { Cancellation, type CancelSignal } from "../../lib/async/cancellation.ts";

/** Starts the call, and goes on to other routes until one answers. From here on nothing but timeouts, and the caller's leaving, limits the wait. */
export function callUpstream(choice: RouteChoice, context: AdmittedRequest): Answer {
  const { chat, admission, exchange, gateway } = context;
  exchange.setIdleTimeout(0);
  if (exchange.request.signal.aborted) throw new CallerGone();
  const budget = gateway.retryBudgets.of(admission.model.id);
  budget.noteRequest();
  const tries = new Attempts(new Calls(choice, budget, context));
  admission.failedAttempts = tries.failed;
  exchange.notes.attempts = tries.attempts;
  return chat.stream ? { kind: "events", opening: tries.run(askForEvents) } : { kind: "json", completion: tries.run(askForAll) };
}

function askForAll(upstream: Upstream, call: UpstreamCall): Promise<Completion> {
  return upstream.complete(call);
}

function askForEvents(upstream: Upstream, call: UpstreamCall): Promise<ChunkStream> {
  return upstream.stream(call);
}

/** How the tries of one request are made, and what they tell it. */
class Calls implements AttemptsOptions {
  readonly choice: RouteChoice;
  readonly budget: RetryBudget;
  readonly deadline: CallerDeadline;
  readonly #request: AdmittedRequest;

  constructor(choice: RouteChoice, budget: RetryBudget, request: AdmittedRequest) {
    this.choice = choice;
    this.budget = budget;
    this.deadline = deadlineOf(request);
    this.#request = request;
  }

  callTo(target: Target, attempt: Attempt): UpstreamCall {
    return new RequestCall(target, attempt, this.#request, this.deadline.signal);
  }

  at(target: Target | undefined, attempts: number): void {
    const { chat, admission, gateway } = this.#request;
    admission.upstream = target?.route.upstream;
    admission.upstreamModel = target?.route.upstreamModel;
    const cost = target?.route.cost;
    admission.costVersion = cost && priceInForce([cost], gateway.nowMs())?.version;
    admission.attempts = attempts;
    if (!target) return;
    admission.lastTriedAt = target.route.upstream;
    admission.carriage = target.carriage;
    admission.defaultMaxTokens = defaultMaxTokens(target.upstream.settings, chat, admission.reckonedTokens);
  }

  answered(underWay: ActiveAttempt): void {
    const { chat, admission, exchange } = this.#request;
    exchange.notes.begunAt = performance.now();
    if (chat.stream) endWith(admission, underWay);
    else underWay.ended(false);
  }
}

/** A stream is under way until its request is closed, whatever closes it. */
function endWith(admission: Admission, underWay: ActiveAttempt): void {
  void admission.closed.then(() => underWay.ended(admission.hasBrokenOff));
}

/** An answer that is kept for another try is worth having after the caller is gone, or has waited long enough. */
function deadlineOf({ claim, exchange: { request, startedAtMs } }: AdmittedRequest): CallerDeadline {
  if (claim) return new CallerDeadline(new Cancellation(), undefined, startedAtMs);
  return new CallerDeadline(request.signal, readTimeout(request.headers), startedAtMs, request.headers);
}

class RequestCall implements UpstreamCall {
  readonly chat: ChatRequest;
  readonly upstreamModel: string;
  readonly carriage: ParameterMapping;
  readonly maxTokens: number | undefined;
  readonly reckonedTokens: number;
  readonly credential: Secret | undefined;
  readonly timeouts: Timeouts;
  readonly signal: CancelSignal;
  readonly traceHeaders: Readonly<Record<string, string>> | undefined;
  readonly report: (deviation: Deviation) => void;

  constructor({ upstream, route, carriage, credential }: Target, attempt: Attempt, request: AdmittedRequest, signal: CancelSignal) {
    const { chat, admission, exchange, gateway } = request;
    this.chat = chat;
    this.upstreamModel = route.upstreamModel;
    this.carriage = carriage;
    this.maxTokens = admission.maxTokens;
    this.reckonedTokens = admission.reckonedTokens;
    this.credential = credential.secret;
    this.timeouts = timeoutsFor(admission.model, upstream.settings);
    this.signal = signal;
    this.traceHeaders = exchange.notes.trace?.begin(attempt);
    this.report = reporterOf(gateway.deviations, route.upstream, admission.model.id);
  }
}

/** Apart from all that a request has: a stream holds it, and must not hold the prompt. */
function reporterOf(deviations: DeviationCounts, upstream: string, modelId: string): (deviation: Deviation) => void {
  return (deviation) => deviations.note(upstream, modelId, deviation);
}

function timeoutsFor({ timeouts }: Model, settings: UpstreamSettings): Timeouts {
  const own = settings.dialect === "echo" ? DEFAULT_TIMEOUTS : settings.timeouts;
  return timeouts === NO_TIMEOUTS ? own : { ...own, ...timeouts };
}
