import { chooseRoute, type Target, type RouteLimits } from "./route-choice.ts";
import type { ChunkStream, Completion, Upstream, UpstreamCall } from "../../upstreams/upstream.ts";
import { CallerGone } from "../../lib/async/caller-gone.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import { sampleForMirror } from "../mirrored-request.ts";
import type { PendingResponse } from "../reply/reply.ts";
import { Attempts, type AttemptsOptions, type ActiveAttempt } from "./attempts.ts";
import { FallbackCalls } from "./fallback-calls.ts";
import type { Attempt } from "../../requests/attempt.ts";
import { costInForce, type Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { ClientIdentities } from "../../requests/client-identities.ts";
import type { Deviation } from "../../models/deviation.ts";
import type { ParameterMapping } from "../../models/parameters/parameter-policy.ts";
import type { SecretHeaders } from "../../models/headers/secret-headers.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import { type UpstreamSettings } from "../../models/upstream-settings.ts";
import { DEFAULT_TIMEOUTS, NO_TIMEOUTS, type Timeouts } from "../../models/timeouts.ts";
import type { Admission } from "../admission/admission.ts";
import { CallerDeadline, readTimeout } from "./caller-deadline.ts";
import type { RetryBudget } from "./retry-budget.ts";
import type { DeviationCounts } from "./health/deviation-counts.ts";
import { defaultMaxTokens, sentMaxTokens } from "./default-max-tokens.ts";
import { Cancellation, type CancelSignal } from "../../lib/async/cancellation.ts";

/**
 * Chooses a route and calls it, with failover to others. From here on, the client's connection may be idle: upstream timeouts and the
 * client's deadline limit the wait.
 */
export function callUpstream(request: AdmittedRequest): PendingResponse {
  const { modelRequest, admission, exchange, gateway } = request;
  // With fallbacks, routes are chosen for one model after the other.
  const choice = admission.fallbacks.length > 0 ? undefined : chooseRoute(modelRequest, admission, gateway);
  exchange.setIdleTimeout(0);
  if (exchange.request.signal.aborted) throw new CallerGone();
  const budget = gateway.retryBudgets.of(admission.model.id);
  budget.noteRequest();
  const options = new AttemptsOfRequest(budget, request);
  const attempts = new Attempts(options);
  admission.failedAttempts = attempts.failed;
  exchange.notes.attempts = attempts.attempts;
  if (admission.model.mirror) sampleForMirror(request);
  if (!choice) return new FallbackCalls(attempts, options, request).start();
  if (modelRequest.stream) return { kind: "events", opening: attempts.run(choice, stream) };
  return { kind: "json", completion: attempts.run(choice, complete) };
}

function complete(upstream: Upstream, call: UpstreamCall): Promise<Completion> {
  return upstream.complete(call);
}

function stream(upstream: Upstream, call: UpstreamCall): Promise<ChunkStream> {
  return upstream.stream(call);
}

/** Connects the attempts of one request with its admission, its notes and its deadline. */
class AttemptsOfRequest implements AttemptsOptions {
  readonly budget: RetryBudget;
  readonly deadline: CallerDeadline;
  readonly mayFallBack: boolean;
  readonly #request: AdmittedRequest;

  constructor(budget: RetryBudget, request: AdmittedRequest) {
    this.budget = budget;
    this.deadline = deadlineOf(request);
    this.mayFallBack = request.admission.fallbacks.length > 0;
    this.#request = request;
  }

  async takeLimits(limits: RouteLimits): Promise<void> {
    const { modelRequest, admission } = this.#request;
    const choices = modelRequest.format.choicesOf(modelRequest);
    admission.routeTicket = await limits.take(admission.promptEstimate + admission.maxOutputTokens * choices);
  }

  endRouteTicket(wasSent: boolean): void {
    const { admission } = this.#request;
    if (wasSent) admission.routeTicket?.end(0);
    else admission.routeTicket?.undo();
    admission.routeTicket = undefined;
  }

  callTo(target: Target, attempt: Attempt): UpstreamCall {
    return new RequestCall(target, attempt, this.#request, this.deadline);
  }

  onAttempt(target: Target | undefined, attempts: number): void {
    const { admission, gateway } = this.#request;
    admission.upstream = target?.route.upstream;
    admission.upstreamModel = target?.route.upstreamModel;
    admission.cost = target && costInForce(target.route, gateway.nowMs());
    admission.attempts = attempts;
    if (!target) return;
    admission.lastUpstream = target.route.upstream;
    admission.parameterMapping = target.parameterMapping;
    admission.defaultMaxTokens = defaultMaxTokens(target.upstream.settings, target.chat, admission.maxOutputTokens);
  }

  onResponse(active: ActiveAttempt): void {
    const { modelRequest, admission, exchange } = this.#request;
    exchange.notes.begunAt = performance.now();
    if (modelRequest.stream) endWith(admission, active);
    else active.ended(false);
  }
}

/** Ends the attempt when the admission ends: a stream is in flight until then. */
function endWith(admission: Admission, active: ActiveAttempt): void {
  void admission.closed.then(() => active.ended(admission.hasUpstreamFailed));
}

/**
 * The deadline of a request. There is none under an idempotency key: the response is stored for the client's retry, even after a disconnect
 * or a timeout.
 */
function deadlineOf({ modelRequest, lock, exchange: { request, startedAtMs }, gateway }: AdmittedRequest): CallerDeadline {
  if (lock) return new CallerDeadline(new Cancellation(), undefined, startedAtMs);
  return new CallerDeadline(request.signal, readTimeout(request.headers, modelRequest), startedAtMs, request.headers, gateway.onDisconnect);
}

class RequestCall implements UpstreamCall {
  readonly chat: ChatRequest;
  readonly model: string;
  readonly upstreamModel: string;
  readonly parameterMapping: ParameterMapping;
  readonly maxTokens: number | undefined;
  readonly maxOutputTokens: number;
  readonly credential: Secret | undefined;
  readonly headers: SecretHeaders | undefined;
  readonly timeouts: Timeouts;
  readonly signal: CancelSignal;
  readonly identities: ClientIdentities | undefined;
  readonly traceHeaders: Readonly<Record<string, string>> | undefined;
  readonly report: (deviation: Deviation) => void;

  constructor(target: Target, attempt: Attempt, request: AdmittedRequest, signal: CancelSignal) {
    const { chat, upstream, route, parameterMapping, credential } = target;
    const { admission, exchange, gateway } = request;
    this.chat = chat;
    this.model = admission.model.id;
    this.upstreamModel = route.upstreamModel;
    this.parameterMapping = parameterMapping;
    this.maxTokens = sentMaxTokens(admission.maxTokens, target);
    this.maxOutputTokens = admission.maxOutputTokens;
    this.credential = credential.secret;
    this.headers = route.headers;
    this.timeouts = timeoutsFor(admission.model, upstream.settings);
    this.signal = signal;
    this.identities = exchange.notes.identities;
    this.traceHeaders = exchange.notes.trace?.begin(attempt);
    this.report = reporterOf(gateway.deviations, route.upstream, admission.model.id);
  }
}

/** A separate function: a stream retains the closure, which must not retain the request with its prompt. */
function reporterOf(deviations: DeviationCounts, upstream: string, modelId: string): (deviation: Deviation) => void {
  return (deviation) => deviations.note(upstream, modelId, deviation);
}

function timeoutsFor({ timeouts }: Model, settings: UpstreamSettings): Timeouts {
  const own = settings.dialect === "echo" ? DEFAULT_TIMEOUTS : settings.timeouts;
  return timeouts === NO_TIMEOUTS ? own : { ...own, ...timeouts };
}
