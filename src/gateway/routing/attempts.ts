import type { AnyCall, CallMethod } from "../../upstreams/upstream.ts";
import type { Attempt, AttemptOutcome } from "../../requests/attempt.ts";
import type { FailedAttempt } from "../../money/failed-attempt.ts";
import { reasonOf } from "../../requests/cancellation-reason.ts";
import { ApiError } from "../../requests/api-error.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { UpstreamFault } from "../../models/upstream-fault.ts";
import { estimateTokens, type ReceivedUsage } from "../../money/usage.ts";
import type { CallerDeadline } from "./caller-deadline.ts";
import type { Slot } from "./slots/slots.ts";
import type { RouteChoice, Target, RouteLimits, FailureScope } from "./route-choice.ts";
import type { RetryBudget } from "./retry-budget.ts";
import type { RouteCall } from "./health/circuit-breaker.ts";
import type { RouteHealth } from "./health/route-health.ts";

const MAX_FAILED_ATTEMPTS = 4;

/** Backoff before a retry at the same upstream, with full jitter, so that requests that failed together do not retry together. */
const BACKOFF_MS = 200;

/** The longest wait before a retry at the same upstream. */
const MAX_WAIT_MS = 2_000;

/** The time to first token is about the time to generate this many tokens. */
const FIRST_TOKENS = 30;

export interface AttemptsOptions {
  readonly budget: RetryBudget;
  readonly deadline: CallerDeadline;
  /** Whether another model may be called if this one fails, so that the deadline still applies. */
  readonly mayFallBack: boolean;
  /** Counts a call against the rate limits of its route. Throws if a limit is reached. */
  takeLimits(limits: RouteLimits): void | Promise<void>;
  /** Called when a call failed and another one follows: the failed call stays counted if it was sent. */
  endRouteTicket(wasSent: boolean): void;
  callTo(target: Target, attempt: Attempt): AnyCall;
  /** Called when an attempt starts, and with undefined when it failed. `attempts` counts them. */
  onAttempt(target: Target | undefined, attempts: number): void;
  /** Called when an attempt succeeded. The receiver calls `active.ended` when the response has ended. */
  onResponse(active: ActiveAttempt): void;
  random?(): number;
}

/**
 * An attempt in flight, from its concurrency slot to the end of the response. A stream retains it, so it must not retain its target, which
 * has the prompt.
 */
export class ActiveAttempt {
  readonly health: RouteHealth;
  readonly credential: Target["credential"];
  readonly attempt: Attempt;
  readonly call: RouteCall;
  readonly #slot: Slot;
  #hasEnded = false;

  constructor(target: Target, attempt: Attempt, slot: Slot) {
    this.health = target.health;
    this.credential = target.credential;
    this.attempt = attempt;
    this.call = target.health.begin(target.account);
    this.#slot = slot;
  }

  /** Called when the response has ended. A second call does nothing. */
  ended(hasUpstreamFailed: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#slot.release();
    if (hasUpstreamFailed) this.health.failed(this.call, 0);
    else this.health.succeeded(this.call);
  }

  /** Called when there was no response. `Attempts` reports the failure to the route's health. */
  failed(): void {
    this.#slot.release();
  }
}

/**
 * Failover: the attempts of one request, until one succeeds. Another attempt is made only before the first byte of a response, if the
 * upstream is at fault, the retry budget allows it, and the client's deadline is not reached.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  /** All attempts, in order. */
  readonly attempts: Attempt[] = [];
  readonly failed: FailedAttempt[] = [];
  #choice: RouteChoice | undefined;
  /** The fallback whose routes are called; undefined for the requested model. */
  #fallback: string | undefined;
  /** The number of failed attempts at other models. */
  #failedElsewhere = 0;
  #hasRetriedSame = false;
  /** The last failure that is temporary. */
  #transient: unknown;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** Makes attempts at the routes of a model or, after the model has failed, of one of its fallbacks. */
  async run<T extends ReceivedUsage>(choice: RouteChoice, call: CallMethod<T>, fallback?: string): Promise<T> {
    const { deadline, mayFallBack } = this.#options;
    this.#choice = choice;
    if (mayFallBack) this.#startAgain(fallback);
    let target = choice.next()!;
    for (;;) {
      let active: ActiveAttempt | undefined;
      try {
        if (target.limits) await this.#options.takeLimits(target.limits);
        const slot = target.state.slots.take(deadline.signal);
        active = this.#begin(target, slot instanceof Promise ? await slot : slot);
        this.#options.onAttempt(target, this.attempts.length);
        const response = await call(target.upstream, this.#options.callTo(target, active.attempt));
        this.#succeed(active, response);
        return response;
      } catch (thrown) {
        const error = active ? this.#fail(thrown, active) : thrown;
        this.#noteTransient(error);
        const next = this.#nextAfter(error, target);
        if (target.limits && (next || !active || mayFallBack))
          this.#options.endRouteTicket(active !== undefined && faultOf(error)?.kind !== "not_sent");
        if (!next) {
          if (!mayFallBack) deadline.disarm();
          throw this.#errorToThrow(error);
        }
        // Another route is called in the same turn: a half-open route must not be chosen by two requests.
        if (next.waitMs > 0) await this.#waitBeforeAttempt(next.waitMs);
        target = next.target;
      }
    }
  }

  #startAgain(fallback: string | undefined): void {
    this.#fallback = fallback;
    this.#failedElsewhere = this.failed.length;
    this.#hasRetriedSame = false;
    this.#transient = undefined;
  }

  async #waitBeforeAttempt(ms: number): Promise<void> {
    const { signal } = this.#options.deadline;
    await sleep(ms, signal);
    if (signal.aborted) throw reasonOf(signal);
  }

  #begin(target: Target, slot: Slot): ActiveAttempt {
    const { signal } = this.#options.deadline;
    if (signal.aborted) {
      slot.release();
      throw reasonOf(signal);
    }
    const { upstream, upstreamModel } = target.route;
    const startedAt = performance.now();
    const attempt: Attempt = { upstream, upstreamModel, startedAt, durationMs: undefined, outcome: undefined, detail: undefined };
    if (this.#fallback !== undefined) attempt.fallback = this.#fallback;
    this.attempts.push(attempt);
    return new ActiveAttempt(target, attempt, slot);
  }

  #succeed(active: ActiveAttempt, response: ReceivedUsage): void {
    const { health, attempt, call } = active;
    this.#options.deadline.disarm();
    end(attempt, "answered");
    health.responded(call, timeToFirstToken(attempt.durationMs, response));
    this.#options.onResponse(active);
  }

  /** Returns the error for the client. */
  #fail(thrown: unknown, active: ActiveAttempt): unknown {
    const { deadline } = this.#options;
    active.failed();
    const error = deadline.aborted ? reasonOf(deadline) : thrown;
    this.#report(error, active);
    return error;
  }

  #noteTransient(error: unknown): void {
    const fault = faultOf(error);
    if (fault && isTransient(fault)) this.#transient = error;
  }

  /** A temporary failure of one route outweighs a permanent failure of another: the client should retry. */
  #errorToThrow(error: unknown): unknown {
    return faultOf(error) ? (this.#transient ?? error) : error;
  }

  /** Reports a failure to the health of the route, to the cooldown of the credential, or to neither. */
  #report(error: unknown, { health, credential, call, attempt }: ActiveAttempt): void {
    const fault = faultOf(error);
    if (!fault) {
      const isAbandoned = this.#options.deadline.signal.aborted;
      end(attempt, isAbandoned ? "abandoned" : "refused");
      if (isAbandoned) health.abandoned(call, attempt.durationMs);
      else health.rejected(call);
      return;
    }
    if (fault.kind === "not_sent") return this.#wasNotSent(health, call);
    credential.noteFault(fault, attempt.upstreamModel, call.account);
    const { detail, message } = error as ApiError;
    end(attempt, fault.kind, detail ?? message);
    if (isUnrelatedToHealth(fault)) health.rejected(call);
    else health.failed(call, attempt.durationMs);
    const { upstream, upstreamModel, durationMs } = attempt;
    this.failed.push({ upstream, upstreamModel, fault: fault.kind, durationMs: Math.round(durationMs), detail: detail ?? message });
    this.#options.onAttempt(undefined, this.attempts.length);
  }

  /**
   * Notes that the last attempt was refused for a reason for which a fallback may be called. Providers charge for some refusals, so it is
   * listed with the failed attempts.
   */
  noteRefusal({ detail, message }: ApiError): void {
    const attempt = this.attempts.at(-1)!;
    attempt.detail = detail ?? message;
    const { upstream, upstreamModel, durationMs = 0 } = attempt;
    this.failed.push({ upstream, upstreamModel, fault: "refused", durationMs: Math.round(durationMs), detail: attempt.detail });
  }

  /** Notes that nothing was sent to the upstream, so the call does not count as an attempt. */
  #wasNotSent(health: RouteHealth, call: RouteCall): void {
    health.rejected(call);
    this.attempts.pop();
    this.#options.onAttempt(undefined, this.attempts.length);
  }

  /** The target of the next attempt, and the wait before it; undefined if there is no next attempt. */
  #nextAfter(error: unknown, target: Target): { readonly target: Target; readonly waitMs: number } | undefined {
    const { budget, deadline } = this.#options;
    const choice = this.#choice!;
    const fault = faultOf(error);
    if (!fault || deadline.signal.aborted || this.failed.length - this.#failedElsewhere >= MAX_FAILED_ATTEMPTS) return undefined;
    choice.exclude(target, scopeOf(fault));
    const elsewhere = choice.next();
    const waitMs = elsewhere ? 0 : this.#waitBeforeRetry(fault);
    if (waitMs === undefined || waitMs >= deadline.remainingMs) return undefined;
    if (!isExemptFromBudget(fault) && !budget.take()) return undefined;
    if (!elsewhere) this.#hasRetriedSame = true;
    return { target: elsewhere ?? target, waitMs };
  }

  /** The wait before the one retry at the same upstream; undefined if a retry would not help. */
  #waitBeforeRetry(fault: UpstreamFault): number | undefined {
    if (this.#hasRetriedSame) return undefined;
    const afterMs = retryableAfterMs(fault);
    if (afterMs === undefined || afterMs > MAX_WAIT_MS) return undefined;
    return afterMs + (this.#options.random?.() ?? Math.random()) * BACKOFF_MS;
  }
}

function end(attempt: Attempt, outcome: AttemptOutcome, detail?: string): asserts attempt is Attempt & { durationMs: number } {
  attempt.durationMs = performance.now() - attempt.startedAt;
  attempt.outcome = outcome;
  attempt.detail = detail;
}

/**
 * The time to first token. The duration of a JSON response grows with its output, so it is scaled to the first tokens. Short and long
 * responses, JSON and streams, are then comparable.
 */
function timeToFirstToken(durationMs: number, { usage, uncountedBytes }: ReceivedUsage): number {
  const tokens = usage?.completionTokens ?? estimateTokens(uncountedBytes);
  return (durationMs * FIRST_TOKENS) / (FIRST_TOKENS + tokens);
}

function faultOf(error: unknown): UpstreamFault | undefined {
  return error instanceof ApiError ? error.fault : undefined;
}

/** The wait after which a retry at the same upstream may succeed; undefined if it is unknown. */
function retryableAfterMs({ kind, retryAfterMs, isFinal = false }: UpstreamFault): number | undefined {
  if (isFinal) return undefined;
  if (kind === "unreachable" || kind === "proxy" || kind === "failed") return retryAfterMs ?? 0;
  return kind === "busy" ? retryAfterMs : undefined;
}

/** Whether the fault is temporary, so that the client should retry. */
function isTransient({ kind, isFinal = false }: UpstreamFault): boolean {
  return !isFinal && (kind === "unreachable" || kind === "proxy" || kind === "busy" || kind === "failed" || kind === "broken");
}

/**
 * What the fault excludes from further attempts: the route, its credential for this model (429), or its credential for every model (401).
 */
function scopeOf({ kind }: UpstreamFault): FailureScope {
  if (kind === "credential") return "credential";
  return kind === "busy" ? "rate limit" : "route";
}

/** Whether the fault concerns the credential, the request or the egress proxy: it must not eject the upstream for others. */
export function isUnrelatedToHealth({ kind }: UpstreamFault): boolean {
  return kind === "busy" || kind === "credential" || kind === "unsupported" || kind === "proxy";
}

/**
 * Whether the next attempt takes nothing from the retry budget, which all requests of a model share. If the request itself causes the
 * failure, each route is called at most once, and such requests must not use up the budget that others need when an upstream fails.
 */
function isExemptFromBudget({ kind }: UpstreamFault): boolean {
  return kind === "not_sent" || kind === "unsupported";
}
