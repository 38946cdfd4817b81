import type { Route } from "../../models/catalog.ts";
import { toRetryAfter, type ApiError } from "../../requests/api-error.ts";
import type { LimitScope, LimitTicket } from "../../stores/limits/limit-store.ts";
import type { Gateway } from "../gateway.ts";
import { overloadedFor } from "./slots/slots.ts";

type Limiting = Pick<Gateway, "limits" | "monotonicMs">;

/** The rate limits of a route. They are counted as those of keys, so they are exact over all processes. */
export class RouteLimits {
  readonly #scopes: readonly LimitScope[];
  readonly #gateway: Limiting;

  constructor(modelId: string, { upstream, upstreamModel, limits }: Route, gateway: Limiting) {
    this.#scopes = [{ kind: "route", id: JSON.stringify([modelId, upstream, upstreamModel]), limits: limits! }];
    this.#gateway = gateway;
  }

  /** Whether nothing is left of a limit. Where another process counts: as far as this one knows. */
  get isUsedUp(): boolean {
    const { requests, tokens } = this.#gateway.limits.state(this.#scopes, this.#gateway.monotonicMs());
    return requests?.remaining === 0 || tokens?.remaining === 0;
  }

  /**
   * Counts a call of so many tokens at most. Throws `overloaded` where a limit would be exceeded: another route may have room. A call that exceeds
   * the limit by itself goes alone, so that no route is closed to it forever.
   */
  take(tokens: number): LimitTicket | Promise<LimitTicket> {
    const most = this.#scopes[0]!.limits.tokensPerMinute ?? tokens;
    const taken = this.#gateway.limits.take(this.#scopes, Math.min(tokens, most), this.#gateway.monotonicMs());
    return taken instanceof Promise ? taken.then(ticketOrThrow) : ticketOrThrow(taken);
  }
}

type Taken = Awaited<ReturnType<Gateway["limits"]["take"]>>;

function ticketOrThrow(taken: Taken): LimitTicket {
  if ("undo" in taken) return taken;
  throw limitReached(taken.what, taken.waitMs);
}

/** The same error as without a free slot: it is the operator's limit and not the caller's. Nothing was sent. */
export function limitReached(what: string, waitMs: number): ApiError {
  return overloadedFor(toRetryAfter(waitMs / 1000), `the route has reached its limit of ${what} per minute`, { kind: "unsaid" });
}
