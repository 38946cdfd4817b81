import { viewRates } from "../../../src/money/limits.ts";
import type { LimitRefusal, LimitScope } from "../../../src/stores/limits/limit-store.ts";

const MINUTE_MS = 60_000;

/** A request in the list. */
export interface PlainRequest {
  readonly atMs: number;
  readonly scopes: readonly LimitScope[];
  tokens: number;
  requests: 0 | 1;
  isRunning: boolean;
}

/** Rate limits in the simplest way: a list of all requests, which is searched each time. */
export class PlainLimits {
  readonly #requests: PlainRequest[] = [];

  add(scopes: readonly LimitScope[], tokens: number, atMs: number): PlainRequest {
    const request: PlainRequest = { atMs, scopes, tokens, requests: 1, isRunning: true };
    this.#requests.push(request);
    return request;
  }

  /** The limit that such a request would exceed, if any. */
  refusalOf(scopes: readonly LimitScope[], tokens: number, nowMs: number): LimitRefusal["what"] | undefined {
    for (const { kind, id, limits } of scopes) {
      const { requests_per_minute: maxRequests, tokens_per_minute: maxTokens, concurrent_requests: maxConcurrent } = viewRates(limits);
      const mine = this.#requests.filter((request) => request.scopes.some((each) => each.kind === kind && each.id === id));
      const recent = mine.filter(({ atMs }) => atMs > nowMs - MINUTE_MS);
      const sum = (of: "requests" | "tokens"): number => recent.reduce((total, request) => total + request[of], 0);
      if (maxRequests !== null && sum("requests") + 1 > maxRequests) return "requests";
      if (maxTokens !== null && sum("tokens") + Math.min(tokens, maxTokens) > maxTokens) return "tokens";
      if (maxConcurrent !== null && mine.filter(({ isRunning }) => isRunning).length >= maxConcurrent) return "concurrent";
    }
    return undefined;
  }
}
