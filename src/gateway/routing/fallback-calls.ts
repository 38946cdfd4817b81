import type { CallMethod, Completion } from "../../upstreams/upstream.ts";
import type { FallbackCondition } from "../../models/fallbacks.ts";
import type { ReceivedUsage, Usage } from "../../money/usage.ts";
import { ApiError, type ErrorCode } from "../../requests/api-error.ts";
import type { FallbackCandidate, ServingTerms } from "../admission/cost-bound.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import type { PendingResponse } from "../reply/reply.ts";
import type { Attempts, AttemptsOptions } from "./attempts.ts";
import { completeFor, streamFor } from "../formats/caller-format.ts";
import { chooseRoute, type RouteChoice } from "./route-choice.ts";

/** A model that may serve the request, and the choice among its routes. */
interface ModelCandidate {
  /** The fallback; undefined for the requested model. */
  readonly fallback: FallbackCandidate | undefined;
  /** The route choice, or the error if none of the model's routes can serve the request. */
  readonly choice: RouteChoice | ApiError;
}

/** The failure of a model, after which another model may be called. */
class Failure {
  readonly error: ApiError;
  /** Whether the next call takes from the retry budget: not if the request itself causes the failure, or nothing was sent. */
  readonly takesRetry: boolean;

  constructor(error: ApiError, takesRetry: boolean) {
    this.error = error;
    this.takesRetry = takesRetry;
  }
}

/**
 * Fallback: if the requested model cannot serve a request, one of its fallbacks does, with its own routes, parameters, timeouts and price.
 * A fallback is called only before the first byte of a response, within the client's deadline, and within the retry budget of the requested
 * model. If all models fail, the client receives the error of the model that it requested.
 */
export class FallbackCalls {
  readonly #attempts: Attempts;
  readonly #options: AttemptsOptions;
  readonly #request: AdmittedRequest;
  /** The models that were not called, in order. */
  #untried: readonly ModelCandidate[];
  /** Why models have failed so far. */
  readonly #reasons = new Set<FallbackCondition>();

  constructor(attempts: Attempts, options: AttemptsOptions, request: AdmittedRequest) {
    this.#attempts = attempts;
    this.#options = options;
    this.#request = request;
    this.#untried = this.#inOrder();
  }

  start(): PendingResponse {
    const { modelRequest } = this.#request;
    if (modelRequest.stream) return { kind: "events", opening: this.#run(streamFor(modelRequest)) };
    const complete = completeFor(modelRequest);
    return { kind: "json", completion: this.#run((upstream, call) => this.#complete(complete(upstream, call))) };
  }

  /** The requested model is first; or last, if none of its routes is available and a fallback for errors is available. */
  #inOrder(): readonly ModelCandidate[] {
    const { admission } = this.#request;
    const own = { fallback: undefined, choice: this.#choiceOf(admission) };
    const fallbacks = admission.fallbacks.map((fallback) => ({ fallback, choice: this.#choiceOf(fallback) }));
    const isOut = !(own.choice instanceof ApiError) && !own.choice.isAvailable;
    if (!isOut || !fallbacks.some((each) => each.fallback.on.includes("error") && isAvailable(each))) return [own, ...fallbacks];
    this.#reasons.add("error");
    return [...fallbacks, own];
  }

  #choiceOf({ model, premium }: Pick<ServingTerms, "model" | "premium">): RouteChoice | ApiError {
    const { modelRequest, admission, gateway } = this.#request;
    const { findUpstream, accountId } = admission;
    try {
      return chooseRoute(modelRequest, { model, findUpstream, accountId, premium }, gateway);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  async #run<T extends ReceivedUsage>(call: CallMethod<T>): Promise<T> {
    let error: unknown;
    try {
      for (let next = this.#next(); next; next = this.#next()) {
        const result = await this.#try(next, call);
        if (!(result instanceof Failure)) return result;
        if (!next.fallback || error === undefined) ({ error } = result);
        if (!this.#mayCallAnother(result)) break;
      }
    } finally {
      this.#options.deadline.disarm();
    }
    this.#handTo(undefined);
    throw error;
  }

  /** The next model to call, among the fallbacks for the reasons so far. Available models go first. */
  #next(): ModelCandidate | undefined {
    const eligible = this.#untried.filter(({ fallback }) => !fallback || this.#reasonFor(fallback) !== undefined);
    const next = eligible.find(isAvailable) ?? eligible[0];
    this.#untried = this.#untried.filter((each) => each !== next);
    return next;
  }

  #reasonFor({ on }: FallbackCandidate): FallbackCondition | undefined {
    return on.find((condition) => this.#reasons.has(condition));
  }

  #mayCallAnother({ takesRetry }: Failure): boolean {
    const { budget, deadline } = this.#options;
    return deadline.remainingMs > 0 && (!takesRetry || budget.take());
  }

  /** The response of one model, or its failure. Throws if no other model may be called, because the client no longer waits. */
  async #try<T extends ReceivedUsage>({ fallback, choice }: ModelCandidate, call: CallMethod<T>): Promise<T | Failure> {
    const { length } = this.#attempts.attempts;
    this.#handTo(fallback);
    try {
      if (choice instanceof ApiError) throw choice;
      return await this.#attempts.run(choice, call, fallback?.model.id);
    } catch (error) {
      if (!(error instanceof ApiError) || this.#options.deadline.signal.aborted) throw error;
      const reason = fallbackConditionOf(error);
      if (reason) this.#reasons.add(reason);
      const wasCalled = this.#attempts.attempts.length > length;
      if (reason && wasCalled && !error.fault) this.#attempts.noteRefusal(error);
      return new Failure(error, reason === "error" && wasCalled);
    }
  }

  #handTo(fallback: FallbackCandidate | undefined): void {
    const { admission, exchange } = this.#request;
    admission.serveBy(fallback);
    exchange.notes.fallback = fallback && { model: fallback.model.id, reason: this.#reasonFor(fallback)! };
  }

  /** An empty response that a content filter ended counts as a refusal if a fallback may still serve the request. */
  async #complete(completing: Promise<Completion>): Promise<Completion> {
    const completion = await completing;
    const isRefusal =
      this.#untried.some(({ fallback }) => fallback?.on.includes("content_filter")) &&
      this.#request.modelRequest.format.isFiltered(completion.body);
    if (isRefusal) throw contentFiltered(completion.usage);
    return completion;
  }
}

function isAvailable({ choice }: ModelCandidate): boolean {
  return !(choice instanceof ApiError) && choice.isAvailable;
}

/**
 * The errors of upstreams and routing for which another model may serve a request. All other errors would be the same with another model,
 * or are the caller's fault.
 */
const CONDITIONS: Partial<Record<ErrorCode, FallbackCondition>> = {
  upstream_error: "error",
  upstream_timeout: "error",
  overloaded: "error",
  no_upstream_available: "error",
  // The upstream's rate limit: the caller's limits reject a request before it is sent.
  rate_limit_exceeded: "error",
  context_length_exceeded: "context_length",
  content_policy_violation: "content_filter",
};

/** The fallback condition that a model's error meets; undefined if another model would not help. */
export function fallbackConditionOf({ code }: ApiError): FallbackCondition | undefined {
  return CONDITIONS[code];
}

/**
 * The provider charges for such a response, and only the response itself shows how much, so the detail for operators contains its token
 * counts.
 */
function contentFiltered(usage: Usage | undefined): ApiError {
  const message = "The upstream's content filter left nothing of the answer.";
  const counted = usage && ` The provider counted ${usage.promptTokens} input and ${usage.completionTokens} output tokens.`;
  return new ApiError("content_policy_violation", message, { detail: message + (counted ?? "") });
}
