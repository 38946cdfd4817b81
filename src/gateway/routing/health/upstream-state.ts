import type { Upstream } from "../../../upstreams/upstream.ts";
import type { UpstreamHealth, CoolingReason, CredentialHealth } from "../../../models/upstream-health.ts";
import { credentialsOf, DEFAULT_CONCURRENCY, type Concurrency, type UpstreamSettings } from "../../../models/upstream-settings.ts";
import { type Slots, overloaded, TakenSlot, type Slot, SlotQueue } from "../slots/slots.ts";
import type { CircuitChange } from "./circuit-breaker.ts";
import { RouteHealth } from "./route-health.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { ApiError } from "../../../requests/api-error.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import type { UpstreamFault } from "../../../models/upstream-fault.ts";

/** The upstream state that several processes share. A single process shares nothing. */
interface SharedState {
  /** The slots of all processes together. */
  readonly slots: { of(upstream: string, bounds: Concurrency): Slots };
  readonly observer: HealthObserver;
}

/** Receives what the calls of this process have revealed about upstreams. */
export interface HealthObserver {
  circuitChanged(upstream: UpstreamSettings, upstreamModel: string, change: CircuitChange): void;
  /** `credential` counts from 0. */
  cooldownStarted(upstream: UpstreamSettings, credential: number, cooldown: Cooldown): void;
}

/** The state of one upstream, as observed in its calls: concurrency slots, credential cooldowns, and the health of each model. */
export class UpstreamState {
  readonly settings: UpstreamSettings;
  readonly slots: Slots;
  /** The credentials; at least one. */
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

  /** The health of one of the upstream's models. Its other models may be in a different state. */
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
        const { state, probeDueInMs, inFlight, lastLatencyMs: latencyMs, recent } = health;
        return { upstreamModel, state, probeDueInMs, inFlight, latencyMs, recent };
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

  /** `nowMs` is the monotonic clock. */
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

/** The slots of an upstream that is called by one process only. */
export class ConcurrencySlots implements Slots {
  readonly #bounds: Concurrency;
  readonly #queue = new SlotQueue();
  #taken = 0;

  constructor(bounds: Concurrency) {
    this.#bounds = bounds;
  }

  get taken(): number {
    return this.#taken;
  }

  get queued(): number {
    return this.#queue.length;
  }

  get isFull(): boolean {
    return this.#taken >= this.#bounds.maxCalls;
  }

  get isQueueFull(): boolean {
    return this.#queue.length >= this.#bounds.maxQueued;
  }

  take(signal: CancelSignal): Slot | Promise<Slot> {
    if (!this.isFull) {
      this.#taken++;
      return new TakenSlot(this);
    }
    const rejection = this.rejection();
    if (rejection) throw rejection;
    return this.#wait(signal);
  }

  rejection(): ApiError | undefined {
    return this.isFull && this.isQueueFull ? overloaded(`${this.queued} calls are queued`) : undefined;
  }

  async #wait(signal: CancelSignal): Promise<Slot> {
    await this.#queue.wait(signal, this.#bounds.maxWaitMs);
    return new TakenSlot(this);
  }

  /** Passes a released slot directly to the first waiter: if the slot were free in between, a call that has not waited could take it. */
  passOn(): void {
    if (!this.#queue.next()) this.#taken--;
  }
}

/** The cooldown after a 429 without `Retry-After`. */
const RATE_LIMITED_MS = 5_000;

/** The cooldown of a rejected credential, which an operator has to replace. */
const REJECTED_MS = 60_000;

/** A longer `Retry-After` is capped. */
const MAX_COOLDOWN_MS = 600_000;

/** A cooldown is reported to others only if it is at least this much longer: many calls are rejected at the same time. */
const MIN_REPORTED_DIFFERENCE_MS = 250;

/** A cooldown of a credential. With the reason `credential`, it applies to every model. */
export interface Cooldown {
  readonly reason: CoolingReason;
  readonly upstreamModel: string;
  readonly forMs: number;
}

/**
 * A credential of an upstream, and its cooldown. A rate limit (429) is per model: providers count requests and tokens by model, so that
 * the other models can still be called. A rejection (401, 402, 403) concerns the credential, for every model.
 */
export class Credential {
  /** Undefined for an upstream without authentication. */
  readonly secret: Secret | undefined;
  readonly #nowMs: () => number;
  readonly #onCooldown: ((cooldown: Cooldown) => void) | undefined;
  #rejectedUntilMs = 0;
  /** The account whose request may be the reason for the rejection: the cooldown applies to this account only. */
  #suspect: string | undefined;
  #suspectedUntilMs = 0;
  /** The end of each rate-limit cooldown, by upstream model. */
  readonly #limitedUntilMs = new Map<string, number>();

  /** `onCooldown` is called for cooldowns that calls of this process start. */
  constructor(secret: Secret | undefined, nowMs: () => number, onCooldown?: (cooldown: Cooldown) => void) {
    this.secret = secret;
    this.#nowMs = nowMs;
    this.#onCooldown = onCooldown;
  }

  /** The remaining cooldown for calls of this upstream model by an account. */
  cooldownMs(upstreamModel: string, account?: string): number {
    const limitedUntilMs = this.#limitedUntilMs.get(upstreamModel) ?? 0;
    const suspectedUntilMs = account === this.#suspect ? this.#suspectedUntilMs : 0;
    return Math.max(0, Math.max(this.#rejectedUntilMs, limitedUntilMs, suspectedUntilMs) - this.#nowMs());
  }

  /**
   * Starts a cooldown if the fault concerns the credential and not the upstream. If the account's request may be the reason, the cooldown
   * applies to that account only, until another account meets the same fault.
   */
  noteFault({ kind, retryAfterMs, mayBeOfRequest }: UpstreamFault, upstreamModel: string, account?: string): void {
    if (kind !== "credential" && kind !== "busy") return;
    const usualMs = kind === "credential" ? REJECTED_MS : RATE_LIMITED_MS;
    const cooldown = { reason: kind, upstreamModel, forMs: Math.min(retryAfterMs ?? usualMs, MAX_COOLDOWN_MS) };
    if (mayBeOfRequest && account !== undefined && this.#suspectAlone(account, cooldown.forMs)) return;
    if (this.cool(cooldown) >= MIN_REPORTED_DIFFERENCE_MS) this.#onCooldown?.(cooldown);
  }

  /** Whether no other account has met the same fault within the cooldown of this account. */
  #suspectAlone(account: string, forMs: number): boolean {
    const nowMs = this.#nowMs();
    if (this.#suspectedUntilMs > nowMs && this.#suspect !== account) return false;
    this.#suspect = account;
    this.#suspectedUntilMs = Math.max(this.#suspectedUntilMs, nowMs + forMs);
    return true;
  }

  /**
   * Starts a cooldown, which may come from another process. A shorter cooldown does not replace a longer one. Returns by how much the
   * cooldown is longer than before.
   */
  cool({ reason, upstreamModel, forMs }: Cooldown): number {
    const nowMs = this.#nowMs();
    const beforeMs = Math.max(nowMs, reason === "credential" ? this.#rejectedUntilMs : (this.#limitedUntilMs.get(upstreamModel) ?? 0));
    const untilMs = Math.max(beforeMs, nowMs + forMs);
    if (reason === "credential") this.#rejectedUntilMs = untilMs;
    else this.#limitedUntilMs.set(upstreamModel, untilMs);
    return untilMs - beforeMs;
  }

  /** For operators. */
  get health(): CredentialHealth {
    const nowMs = this.#nowMs();
    const rejectedForMs = Math.max(0, Math.max(this.#rejectedUntilMs, this.#suspectedUntilMs) - nowMs);
    const models = [...this.#limitedUntilMs]
      .flatMap(([upstreamModel, untilMs]) => (untilMs > nowMs ? { upstreamModel, coolForMs: untilMs - nowMs } : []))
      .toSorted((one, other) => (one.upstreamModel < other.upstreamModel ? -1 : 1));
    return {
      last4: this.secret?.lastFour() ?? null,
      coolForMs: rejectedForMs > 0 ? rejectedForMs : Math.max(0, ...models.map(({ coolForMs }) => coolForMs)),
      reason: rejectedForMs > 0 ? "credential" : models.length > 0 ? "busy" : undefined,
      models,
    };
  }
}
