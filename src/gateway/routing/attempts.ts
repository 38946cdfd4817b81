import type { Upstream, UpstreamCall } from "../../upstreams/upstream.ts";
import type { Attempt, AttemptOutcome, FailedAttempt } from "../../requests/attempt.ts";
import { reasonOf } from "../../requests/caller-gone.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { pause } from "../../requests/pause.ts";
import type { UpstreamFault } from "../../models/upstream-fault.ts";
import { estimateTokens, type Counted } from "../../money/usage.ts";
import type { CallerDeadline } from "./caller-deadline.ts";
import type { Slot } from "./health/concurrency-slots.ts";
import { isFreeOfBudget, isTransient, saysNothingOfHealth, scopeOf, worthAskingAfter } from "./fault-rules.ts";
import type { RouteChoice, Target } from "./route-choice.ts";
import type { RetryBudget } from "./retry-budget.ts";
import type { RouteCall, RouteHealth } from "./health/route-health.ts";

const MAX_TRIES = 4;

/** Before the same upstream is asked again: full jitter, so that those who failed together do not come back together. */
const BACKOFF_MS = 200;

/** A caller does not wait for longer than this only to ask the same upstream again. */
const LONGEST_WAIT_MS = 2_000;

/** Providers take about as long to begin as to write so many tokens. */
const FIRST_TOKENS = 30;

/** One of the two methods of an upstream. */
type Ask<T> = (upstream: Upstream, call: UpstreamCall) => Promise<T>;

export interface AttemptsOptions {
  readonly choice: RouteChoice;
  readonly budget: RetryBudget;
  readonly deadline: CallerDeadline;
  callTo(target: Target, attempt: Attempt): UpstreamCall;
  /** Hears where the request is: at an upstream, or between two of them; and how many tries that has taken. */
  at(target: Target | undefined, attempts: number): void;
  /** Hears of the try that is answered, and has to say when the answer has ended. */
  answered(underWay: ActiveAttempt): void;
  random?(): number;
}

/** A try, from its slot to the end of its answer. */
export class ActiveAttempt {
  readonly target: Target;
  readonly attempt: Attempt;
  readonly call: RouteCall;
  readonly #slot: Slot;
  #hasEnded = false;

  constructor(target: Target, attempt: Attempt, slot: Slot) {
    this.target = target;
    this.attempt = attempt;
    this.call = target.health.begin();
    this.#slot = slot;
  }

  /** It was answered, and that has ended; several may see it. `hasBrokenOff` says whether the upstream is to blame. */
  ended(hasBrokenOff: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#slot.giveBack();
    if (hasBrokenOff) this.target.health.failed(this.call, 0);
    else this.target.health.succeeded(this.call);
  }

  /** It was not answered. What that says about the upstream is told elsewhere. */
  failed(): void {
    this.#slot.giveBack();
  }
}

/**
 * The tries of one request, until one answers. Another is made only before the first byte of an answer, where the fault is the
 * upstream's, the budget has one left, and the caller still has time.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  /** All of them, in order. */
  readonly attempts: Attempt[] = [];
  readonly failed: FailedAttempt[] = [];
  #hasTriedAgain = false;
  /** The last failure that may pass by itself. */
  #transient: unknown;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  async run<T extends Counted>(ask: Ask<T>): Promise<T> {
    const { choice, deadline } = this.#options;
    let target = choice.next()!;
    for (;;) {
      let underWay: ActiveAttempt | undefined;
      try {
        const slot = target.state.slots.take(deadline.signal);
        underWay = this.#begin(target, slot instanceof Promise ? await slot : slot);
        this.#options.at(target, this.attempts.length);
        const answer = await ask(target.upstream, this.#options.callTo(target, underWay.attempt));
        this.#succeed(underWay, answer);
        return answer;
      } catch (thrown) {
        const error = underWay ? this.#fail(thrown, underWay) : thrown;
        this.#noteTransient(error);
        const next = this.#nextAfter(error, target);
        if (!next) {
          deadline.met();
          throw this.#toTell(error);
        }
        // Whoever is chosen elsewhere is called in the same moment: a route that is due must not be chosen by two.
        if (next.waitMs > 0) await pause(next.waitMs, deadline.signal);
        target = next.target;
      }
    }
  }

  #begin(target: Target, slot: Slot): ActiveAttempt {
    const { signal } = this.#options.deadline;
    if (signal.aborted) {
      slot.giveBack();
      throw reasonOf(signal);
    }
    const { upstream, upstreamModel } = target.route;
    const startedAt = performance.now();
    const attempt = { upstream, upstreamModel, startedAt, durationMs: undefined, outcome: undefined, detail: undefined };
    this.attempts.push(attempt);
    return new ActiveAttempt(target, attempt, slot);
  }

  #succeed(underWay: ActiveAttempt, answer: Counted): void {
    const { target, attempt, call } = underWay;
    this.#options.deadline.met();
    end(attempt, "answered");
    target.health.answered(call, toBegin(attempt.durationMs, answer));
    this.#options.answered(underWay);
  }

  /** Gives what the caller is to hear. */
  #fail(thrown: unknown, underWay: ActiveAttempt): unknown {
    const { signal } = this.#options.deadline;
    underWay.failed();
    const error = signal.aborted ? reasonOf(signal) : thrown;
    this.#judge(error, underWay);
    return error;
  }

  #noteTransient(error: unknown): void {
    const fault = faultOf(error);
    if (fault && isTransient(fault)) this.#transient = error;
  }

  /** A route that may be back soon decides before one that cannot serve the request at all: the caller's client should retry. */
  #toTell(error: unknown): unknown {
    return faultOf(error) ? (this.#transient ?? error) : error;
  }

  /** What a failure says about the upstream, the credential, or neither. */
  #judge(error: unknown, { target: { health, credential }, call, attempt }: ActiveAttempt): void {
    const fault = faultOf(error);
    if (!fault) {
      const isAbandoned = this.#options.deadline.signal.aborted;
      end(attempt, isAbandoned ? "abandoned" : "refused");
      if (isAbandoned) health.abandoned(call, attempt.durationMs);
      else health.refused(call);
      return;
    }
    if (fault.kind === "unsaid") return this.#wasNotAsked(health, call);
    credential.heed(fault, attempt.upstreamModel);
    const { detail, message } = error as GatewayError;
    end(attempt, fault.kind, detail ?? message);
    if (saysNothingOfHealth(fault)) health.refused(call);
    else health.failed(call, attempt.durationMs);
    const { upstream, upstreamModel, durationMs } = attempt;
    this.failed.push({ upstream, upstreamModel, fault: fault.kind, durationMs: Math.round(durationMs), detail: detail ?? message });
    this.#options.at(undefined, this.attempts.length);
  }

  /** It was no try, and costs nothing. */
  #wasNotAsked(health: RouteHealth, call: RouteCall): void {
    health.refused(call);
    this.attempts.pop();
    this.#options.at(undefined, this.attempts.length);
  }

  /** Where the next try goes, and after how long; undefined where there is none. */
  #nextAfter(error: unknown, target: Target): { readonly target: Target; readonly waitMs: number } | undefined {
    const { choice, budget, deadline } = this.#options;
    const fault = faultOf(error);
    if (!fault || this.failed.length >= MAX_TRIES) return undefined;
    choice.failed(target, scopeOf(fault));
    const elsewhere = choice.next();
    const waitMs = elsewhere ? 0 : this.#waitBeforeAgain(fault);
    if (waitMs === undefined || waitMs >= deadline.leftMs) return undefined;
    if (!isFreeOfBudget(fault) && !budget.take()) return undefined;
    if (!elsewhere) this.#hasTriedAgain = true;
    return { target: elsewhere ?? target, waitMs };
  }

  /** How long to wait before the same is tried again, once; undefined where that would not help. */
  #waitBeforeAgain(fault: UpstreamFault): number | undefined {
    if (this.#hasTriedAgain) return undefined;
    const afterMs = worthAskingAfter(fault);
    if (afterMs === undefined || afterMs > LONGEST_WAIT_MS) return undefined;
    return afterMs + (this.#options.random?.() ?? Math.random()) * BACKOFF_MS;
  }
}

function end(attempt: Attempt, outcome: AttemptOutcome, detail?: string): asserts attempt is Attempt & { durationMs: number } {
  attempt.durationMs = performance.now() - attempt.startedAt;
  attempt.outcome = outcome;
  attempt.detail = detail;
}

/**
 * How long it took to begin an answer. One that came whole took as long as it is long: of that, as much counts as the first words
 * took, so that short and long answers, whole ones and streams, say the same about an upstream.
 */
function toBegin(durationMs: number, { usage, uncountedBytes }: Counted): number {
  const tokens = usage?.completionTokens ?? estimateTokens(uncountedBytes);
  return (durationMs * FIRST_TOKENS) / (FIRST_TOKENS + tokens);
}

function faultOf(error: unknown): UpstreamFault | undefined {
  return error instanceof GatewayError ? error.fault : undefined;
}
