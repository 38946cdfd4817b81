import { chooseRoute, type Target, type RouteLimits } from "./route-choice.ts";
import type { AnyCall, HeadersRead, RelayedCall, RelayedRequest, UpstreamCall } from "../../upstreams/upstream.ts";
import { CallerGone } from "../../lib/async/caller-gone.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import { sampleForMirror } from "../mirrored-request.ts";
import type { PendingResponse } from "../reply/reply.ts";
import { completeFor, streamFor } from "../formats/caller-format.ts";
import { Attempts, type AttemptsOptions, type ActiveAttempt } from "./attempts.ts";
import { FallbackCalls } from "./fallback-calls.ts";
import type { Attempt } from "../../requests/attempt.ts";
import { costInForce, type Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { ClientIdentities } from "../../requests/client-identities.ts";
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
import { headersForClient, headersForUpstream } from "./relayed-headers.ts";
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
  // Mirrors receive chat completions only.
  if (admission.model.mirror && !modelRequest.relayed) sampleForMirror(request);
  if (!choice) return new FallbackCalls(attempts, options, request).start();
  if (modelRequest.stream) return { kind: "events", opening: attempts.run(choice, streamFor(modelRequest)) };
  return { kind: "json", completion: attempts.run(choice, completeFor(modelRequest)) };
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

  callTo(target: Target, attempt: Attempt): AnyCall {
    const { chat } = target;
    if (chat) return new ChatCall(chat, target, attempt, this.#request, this.deadline);
    return new RelayCall(target, attempt, this.#request, this.deadline);
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
    admission.premium = target.premium;
    admission.isRelayed = target.chat === undefined;
    admission.relayedHeaders = undefined;
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

/** What both forms of a call have in common. */
class RequestCall {
  readonly model: string;
  readonly upstreamModel: string;
  readonly credential: Secret | undefined;
  readonly headers: SecretHeaders | undefined;
  readonly timeouts: Timeouts;
  readonly signal: CancelSignal;
  readonly identities: ClientIdentities | undefined;
  readonly traceHeaders: Readonly<Record<string, string>> | undefined;
  readonly report: RelayedCall["report"];
  readonly mayBeStopped: boolean;

  constructor(target: Target, attempt: Attempt, request: AdmittedRequest, signal: CancelSignal) {
    const { upstream, route, credential } = target;
    const { admission, exchange, gateway } = request;
    this.model = admission.model.id;
    this.upstreamModel = route.upstreamModel;
    this.credential = credential.secret;
    this.headers = route.headers;
    this.timeouts = timeoutsFor(admission.model, upstream.settings);
    this.signal = signal;
    this.identities = exchange.notes.identities;
    this.traceHeaders = exchange.notes.trace?.begin(attempt);
    this.report = reporterOf(gateway.deviations, route.upstream, admission.model.id);
    this.mayBeStopped = admission.maxCostNanos !== undefined;
  }
}

class ChatCall extends RequestCall implements UpstreamCall {
  readonly chat: ChatRequest;
  readonly parameterMapping: ParameterMapping;
  readonly maxTokens: number | undefined;
  readonly maxOutputTokens: number;
  readonly premium: UpstreamCall["premium"];

  constructor(chat: ChatRequest, target: Target, attempt: Attempt, request: AdmittedRequest, signal: CancelSignal) {
    super(target, attempt, request, signal);
    const { admission } = request;
    this.chat = chat;
    this.parameterMapping = target.parameterMapping;
    this.maxTokens = sentMaxTokens(admission.maxTokens, target);
    this.maxOutputTokens = admission.maxOutputTokens;
    this.premium = target.premium;
  }
}

class RelayCall extends RequestCall implements RelayedCall {
  readonly relayed: RelayedRequest;
  readonly formatHeaders: Readonly<Record<string, string>>;
  readonly parameterMapping: ParameterMapping;
  readonly maxTokens: number | undefined;
  readonly premium: RelayedCall["premium"];
  readonly receiveHeaders: (headers: HeadersRead) => void;

  constructor(target: Target, attempt: Attempt, request: AdmittedRequest, signal: CancelSignal) {
    super(target, attempt, request, signal);
    const { admission, gateway } = request;
    const { upstream } = target.route;
    const scope = { accountId: admission.accountId, upstream, credential: target.credential.secret, hashSecret: gateway.hashSecret };
    this.premium = target.premium;
    this.relayed = request.modelRequest.relayed!;
    this.formatHeaders = headersForUpstream(withoutLongContext(this.relayed.formatHeaders, admission.model), scope);
    this.parameterMapping = target.parameterMapping;
    this.maxTokens = admission.maxTokens;
    const { relayedAs } = this.relayed;
    this.receiveHeaders = (headers) => {
      if (relayedAs === "responses") admission.relayedHeaders = headersForClient(headers, scope);
    };
  }
}

/** Up to this many tokens, a prompt needs no beta. */
const PLAIN_CONTEXT = 200_000;

/** The hold of a request covers the context window that the operator declares, and no longer prompt. */
function withoutLongContext(headers: Readonly<Record<string, string>>, { contextWindow }: Model): Readonly<Record<string, string>> {
  if (headers["anthropic-beta"] === undefined || contextWindow === undefined || contextWindow > PLAIN_CONTEXT) return headers;
  const { "anthropic-beta": betas, ...others } = headers;
  const rest = betas.split(",").filter((beta) => !beta.trim().startsWith("context-1m-"));
  return rest.length === 0 ? others : { ...others, "anthropic-beta": rest.join(",") };
}

/** A separate function: a stream retains the closure, which must not retain the request with its prompt. */
function reporterOf(deviations: DeviationCounts, upstream: string, modelId: string): RelayedCall["report"] {
  return (deviation, name) => deviations.note(upstream, modelId, deviation, name);
}

function timeoutsFor({ timeouts }: Model, settings: UpstreamSettings): Timeouts {
  const own = settings.dialect === "echo" ? DEFAULT_TIMEOUTS : settings.timeouts;
  return timeouts === NO_TIMEOUTS ? own : { ...own, ...timeouts };
}
