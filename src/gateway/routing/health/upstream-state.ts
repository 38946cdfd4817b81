import type { Upstream } from "../../../upstreams/upstream.ts";
import type { UpstreamHealth } from "../../../models/upstream-health.ts";
import { credentialsOf, DEFAULT_CONCURRENCY } from "../../../models/upstream-settings.ts";
import { CallSlots } from "./concurrency-slots.ts";
import { Credential } from "./credential-cooldown.ts";
import { RouteHealth } from "./route-health.ts";

/** What is known of one upstream from calling it. */
export class UpstreamState {
  readonly slots: CallSlots;
  /** At least one. */
  readonly credentials: readonly Credential[];
  readonly #nowMs: () => number;
  readonly #health = new Map<string, RouteHealth>();

  constructor({ settings }: Upstream, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.slots = new CallSlots(settings.dialect === "echo" ? DEFAULT_CONCURRENCY : settings.concurrency);
    const secrets = credentialsOf(settings);
    this.credentials = (secrets.length === 0 ? [undefined] : secrets).map((secret) => new Credential(secret, nowMs));
  }

  /** How one of its models fares. The others may fare otherwise. */
  healthOf(upstreamModel: string): RouteHealth {
    let health = this.#health.get(upstreamModel);
    if (!health) this.#health.set(upstreamModel, (health = new RouteHealth(this.#nowMs)));
    return health;
  }

  /** All of it, for operators. */
  get health(): UpstreamHealth {
    const models = [...this.#health].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return {
      inFlight: this.slots.taken,
      queued: this.slots.queued,
      models: models.map(([upstreamModel, health]) => {
        const { state, dueInMs, inFlight, lastLatencyMs: latencyMs, recent } = health;
        return { upstreamModel, state, dueInMs, inFlight, latencyMs, recent };
      }),
      credentials: this.credentials.flatMap(({ secret, health }) => (secret !== undefined || health.coolForMs > 0 ? health : [])),
    };
  }
}

/** What is known of every upstream, for as long as its settings stay the same: at another address everything is new. */
export class UpstreamStates {
  readonly #nowMs: () => number;
  readonly #states = new WeakMap<Upstream, UpstreamState>();

  /** By a clock that is never set back. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  of(upstream: Upstream): UpstreamState {
    let state = this.#states.get(upstream);
    if (!state) this.#states.set(upstream, (state = new UpstreamState(upstream, this.#nowMs)));
    return state;
  }
}
