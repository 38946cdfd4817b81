import { chatOf } from "../support/upstreams/upstream-call.ts";
import type { Candidate } from "../../src/gateway/routing/route-choice.ts";
import { UpstreamState } from "../../src/gateway/routing/health/upstream-state.ts";
import type { Completion, Upstream, UpstreamCall } from "../../src/upstreams/upstream.ts";
import { remoteAt } from "../../src/models/declared-upstream.ts";
import { NO_CHANGES } from "../../src/models/parameters/parameter-policy.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import { DEFAULT_CONCURRENCY, type Concurrency } from "../../src/models/upstream-settings.ts";

export interface CandidateOptions {
  readonly priority?: number;
  readonly weight?: number;
  readonly credentials?: number;
  readonly concurrency?: Partial<Concurrency>;
  readonly complete?: (call: UpstreamCall) => Promise<Completion>;
}

/** Candidates with a clock that is controlled by the test. */
export class Candidates {
  nowMs = 1000;
  readonly clock = (): number => this.nowMs;

  make(upstreamId: string, options: CandidateOptions = {}): Candidate {
    const { priority = 1, weight = 1, credentials = 1, concurrency = {}, complete = unasked } = options;
    const secrets = Array.from({ length: credentials }, (_, at) => new Secret(`credential-${upstreamId}-${at}`));
    const settings = {
      ...remoteAt(upstreamId, undefined, { baseUrl: `https://${upstreamId}.example/v1`, allowPrivate: false }, secrets),
      concurrency: { ...DEFAULT_CONCURRENCY, ...concurrency },
    };
    const upstream: Upstream = { settings, complete, stream: unasked };
    const state = new UpstreamState(upstream, this.clock);
    return this.another({ upstream, state }, "m", { priority, weight });
  }

  /** Another model at the same upstream. */
  another({ upstream, state }: Pick<Candidate, "upstream" | "state">, upstreamModel: string, more: CandidateOptions = {}): Candidate {
    const { priority = 1, weight = 1 } = more;
    const route = {
      upstream: upstream.settings.id,
      upstreamModel,
      priority,
      weight,
      maxPrice: undefined,
      publishedPrices: [],
      cost: undefined,
    };
    return { account: "acme", chat: CHAT, route, upstream, state, health: state.healthOf(upstreamModel), parameterMapping: NO_CHANGES };
  }
}

const CHAT = chatOf({ model: "m", messages: [{ role: "user", content: "hi" }] });

function unasked(): Promise<never> {
  return Promise.reject(new Error("this one was not to be asked"));
}

export function eject({ health }: Pick<Candidate, "health">): void {
  for (let count = 0; count < 5; count++) health.failed(health.begin(), 1);
}

/** Records one response with this latency. */
export function respond({ health }: Candidate, latencyMs: number): void {
  const call = health.begin();
  health.responded(call, latencyMs);
  health.succeeded(call);
}
