import type { Upstream } from "../../../upstreams/upstream.ts";
import type { UpstreamHealth } from "../../../models/upstream-health.ts";
import { credentialsOf, DEFAULT_CONCURRENCY, type Concurrency, type UpstreamSettings } from "../../../models/upstream-settings.ts";
import type { Slots } from "../slots/slots.ts";
import type { CircuitChange } from "./circuit-breaker.ts";
import { ConcurrencySlots } from "./concurrency-slots.ts";
import { Credential, type Cooldown } from "./credential-cooldown.ts";
import { RouteHealth } from "./route-health.ts";

/** What several processes share of the state of their upstreams. A single process shares nothing. */
export interface SharedState {
  /** The slots of all processes together. */
  readonly slots: { of(upstream: string, bounds: Concurrency): Slots };
  readonly observer: HealthObserver;
}

/** Receives what the calls of this process have shown. */
export interface HealthObserver {
  circuitChanged(upstream: UpstreamSettings, upstreamModel: string, change: CircuitChange): void;
  /** `credential` counts from 0. */
  cooldownStarted(upstream: UpstreamSettings, credential: number, cooldown: Cooldown): void;
}

/** The state of one upstream, as its calls show it: concurrency slots, credential cooldowns, and the health of each model. */
export class UpstreamState {
  readonly settings: UpstreamSettings;
  readonly slots: Slots;
  /** At least one. */
  readonly credentials: readonly Credential[];
  readonly #upstream: Upstream;
  readonly #nowMs: () => number;
  readonly #shared: SharedState | undefined;
  readonly #health = new Map<string, RouteHealth>();

  constructor(upstream: Upstream, nowMs: () => number, shared?: SharedState) {
    const { settings } = upstream;
    this.#upstream = upstream;
    this.settings = settings;
    this.#nowMs = nowMs;
    this.#shared = shared;
    const bounds = settings.dialect === "echo" ? DEFAULT_CONCURRENCY : settings.concurrency;
    this.slots = shared?.slots.of(settings.id, bounds) ?? new ConcurrencySlots(bounds);
    const secrets = credentialsOf(settings);
    this.credentials = (secrets.length === 0 ? [undefined] : secrets).map(
      (secret, at) => new Credential(secret, nowMs, shared && ((cooldown) => shared.observer.cooldownStarted(settings, at, cooldown))),
    );
  }

  /** The health of one of its models. The others may differ. */
  healthOf(upstreamModel: string): RouteHealth {
    let health = this.#health.get(upstreamModel);
    if (!health) this.#health.set(upstreamModel, (health = this.#newHealth(upstreamModel)));
    return health;
  }

  #newHealth(upstreamModel: string): RouteHealth {
    const shared = this.#shared;
    return new RouteHealth(this.#nowMs, shared && ((change) => shared.observer.circuitChanged(this.settings, upstreamModel, change)));
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
      identity: this.#upstream.authorizer?.state,
    };
  }
}

/** The state of every upstream. An upstream with changed settings is another object, and starts without a history. */
export class UpstreamStates {
  readonly #nowMs: () => number;
  readonly #shared: SharedState | undefined;
  readonly #states = new WeakMap<Upstream, UpstreamState>();

  /** By the monotonic clock. */
  constructor(nowMs: () => number, shared?: SharedState) {
    this.#nowMs = nowMs;
    this.#shared = shared;
  }

  of(upstream: Upstream): UpstreamState {
    let state = this.#states.get(upstream);
    if (!state) this.#states.set(upstream, (state = new UpstreamState(upstream, this.#nowMs, this.#shared)));
    return state;
  }
}
