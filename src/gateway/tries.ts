import { setTimeout as sleep } from "node:timers/promises";
import type { Upstream, UpstreamCall } from "../upstreams/upstream.ts";
import type { FailedAttempt } from "../vocabulary/attempt.ts";
import { reasonOf } from "../vocabulary/caller-gone.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { UpstreamFault } from "../vocabulary/upstream-fault.ts";
import type { CallerDeadline } from "./caller-deadline.ts";
import type { GiveBack } from "./call-slots.ts";
import type { RouteChoice, Target } from "./choose-route.ts";
import type { RetryBudget } from "./retry-budget.ts";

const MAX_TRIES = 4;

/** Before the same upstream is asked again: full jitter, so that those who failed together do not come back together. */
const BACKOFF_MS = 200;

/** A caller does not wait for longer than this only to ask the same upstream again. */
const LONGEST_WAIT_MS = 2_000;

/** An answer, and where it came from. */
export interface Answered<T> {
  readonly answer: T;
  readonly target: Target;
  /** To be called when the answer has ended, and whether the upstream has broken it off. */
  readonly ended: (hasBrokenOff: boolean) => void;
}

export interface TriesOptions {
  readonly choice: RouteChoice;
  readonly budget: RetryBudget;
  readonly deadline: CallerDeadline;
  readonly callTo: (target: Target) => UpstreamCall;
  /** Hears where the request is: at an upstream, or between two of them. */
  readonly at: (target: Target | undefined) => void;
}

/**
 * The tries of one request, until one answers. Another is made only before the first byte of an answer, where the fault is the
 * upstream's, the budget has one left, and the caller still has time.
 */
export class Tries {
  readonly #options: TriesOptions;
  readonly failed: FailedAttempt[] = [];
  /** Where the last of them went. */
  last: Target | undefined;
  count = 0;
  #hasTriedAgain = false;

  constructor(options: TriesOptions) {
    this.#options = options;
  }

  async run<T>(ask: (upstream: Upstream, call: UpstreamCall) => Promise<T>): Promise<Answered<T>> {
    const { choice } = this.#options;
    let target: Target | undefined = choice.next();
    for (;;) {
      try {
        return await this.#try(target!, ask);
      } catch (error) {
        target = await this.#nextAfter(error, target!);
        if (!target) throw error;
      }
    }
  }

  async #try<T>(target: Target, ask: (upstream: Upstream, call: UpstreamCall) => Promise<T>): Promise<Answered<T>> {
    const { deadline, callTo, at } = this.#options;
    const slot = target.state.slots.take(deadline.signal);
    const giveBack = slot instanceof Promise ? await slot : slot;
    const { health } = target;
    health.begin();
    const startedAtMs = performance.now();
    const end = endOnce(target, giveBack);
    try {
      this.last = target;
      this.count++;
      at(target);
      const answer = await ask(target.upstream, callTo(target));
      health.succeeded(performance.now() - startedAtMs);
      return { answer, target, ended: end };
    } catch (error) {
      end(false);
      this.#judge(error, target, performance.now() - startedAtMs);
      at(error instanceof GatewayError ? undefined : target);
      throw error;
    }
  }

  /** What a failure says about the upstream, the credential, or neither. */
  #judge(error: unknown, target: Target, durationMs: number): void {
    const { health, credential } = target;
    const fault = faultOf(error);
    if (!fault) return error instanceof GatewayError ? health.succeeded(undefined) : health.leftOpen();
    credential.heed(fault);
    if (isAboutCredential(fault)) health.leftOpen();
    else health.failed(durationMs);
    const { upstream, upstreamModel } = target.route;
    const { detail, message } = error as GatewayError;
    this.failed.push({ upstream, upstreamModel, fault: fault.kind, durationMs: Math.round(durationMs), detail: detail ?? message });
  }

  /** Where the next try goes, when its time has come; undefined where there is none. */
  async #nextAfter(error: unknown, target: Target): Promise<Target | undefined> {
    const { choice, budget, deadline } = this.#options;
    const fault = faultOf(error);
    if (!fault || deadline.signal.aborted || this.failed.length >= MAX_TRIES) return undefined;
    choice.failed(target, isAboutCredential(fault));
    const elsewhere = choice.next();
    const waitMs = elsewhere ? 0 : this.#waitBeforeAgain(fault);
    if (waitMs === undefined || waitMs >= deadline.leftMs || !budget.take()) return undefined;
    if (elsewhere) return elsewhere;
    this.#hasTriedAgain = true;
    await pause(waitMs, deadline.signal);
    return target;
  }

  /** How long to wait before the same is tried again, once; undefined where that would not help. */
  #waitBeforeAgain({ kind, retryAfterMs }: UpstreamFault): number | undefined {
    if (this.#hasTriedAgain) return undefined;
    if (kind === "unreachable" || kind === "failed") return withJitter(retryAfterMs ?? 0);
    return kind === "busy" && retryAfterMs !== undefined ? withJitter(retryAfterMs) : undefined;
  }
}

function withJitter(afterMs: number): number | undefined {
  const waitMs = afterMs + Math.random() * BACKOFF_MS;
  return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw reasonOf(signal);
  }
}

/** The end of a call, which several may see. */
function endOnce({ health }: Target, giveBack: GiveBack): (hasBrokenOff: boolean) => void {
  let hasEnded = false;
  return (hasBrokenOff) => {
    if (hasEnded) return;
    hasEnded = true;
    giveBack();
    health.end();
    if (hasBrokenOff) health.failed(0);
  };
}

function faultOf(error: unknown): UpstreamFault | undefined {
  return error instanceof GatewayError ? error.fault : undefined;
}

function isAboutCredential({ kind }: UpstreamFault): boolean {
  return kind === "busy" || kind === "credential";
}
