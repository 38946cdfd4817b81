import type { Upstream } from "../../../upstreams/upstream.ts";
import type { UpstreamHealth } from "../../../models/upstream-health.ts";
import { credentialsOf, DEFAULT_CONCURRENCY } from "../../../models/upstream-settings.ts";
import { ConcurrencySlots } from "./concurrency-slots.ts";
import { Credential } from "./credential-cooldown.ts";
import { RouteHealth } from "./route-health.ts";

/** The state of one upstream, as its calls show it: concurrency slots, credential cooldowns, and the health of each model. */
export class UpstreamState {
  readonly slots: ConcurrencySlots;
  /** At least one. */
  readonly credentials: readonly Credential[];
  readonly #nowMs: () => number;
  readonly #health = new Map<string, RouteHealth>();

  constructor({ settings }: Upstream, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.slots = new ConcurrencySlots(settings.dialect === "echo" ? DEFAULT_CONCURRENCY : settings.concurrency);
    const secrets = credentialsOf(settings);
    this.credentials = (secrets.length === 0 ? [undefined] : secrets).map((secret) => new Credential(secret, nowMs));
  }

  /** The health of one of its models. The others may differ. */
  healthOf(upstreamModel: string): RouteHealth {
    let health = this.#health.get(upstreamModel);
    if (!health) this.#health.set(upstreamModel, (health = new RouteHealth(this.#nowMs)));
    return health;
  }

  /** A snapshot for operators. */
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

/** The state of every upstream. An upstream with changed settings is another object, and starts without a history. */
export class UpstreamStates {
  readonly #nowMs: () => number;
  readonly #states = new WeakMap<Upstream, UpstreamState>();

  /** By the monotonic clock. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  of(upstream: Upstream): UpstreamState {
    let state = this.#states.get(upstream);
    if (!state) this.#states.set(upstream, (state = new UpstreamState(upstream, this.#nowMs)));
    return state;
  }
}
