import type { IpcPeer, ProcessService } from "../../../lib/ipc/ipc-service.ts";
import type { UpstreamSettings } from "../../../models/upstream-settings.ts";
import type { CircuitChange } from "../health/circuit-breaker.ts";
import type { HealthObserver, Cooldown, UpstreamState } from "../health/upstream-state.ts";
import { digestOf } from "./upstream-digest.ts";

interface HealthHintsOptions {
  readonly owner: Pick<IpcPeer, "notify">;
  readonly findState: FindState;
  /** The monotonic clock. */
  readonly nowMs: () => number;
}

/**
 * Reports to the owner which routes the calls of this process have ejected or found healthy, and which credentials have a cooldown, and
 * applies the reports of other processes, so that a dead upstream has to be discovered only once. `HealthHintsOwner` is the other side.
 */
export class HealthHints implements ProcessService, HealthObserver {
  readonly name = HEALTH;
  readonly notices = { hint: (body: unknown): void => this.#follow(body as HealthHint) };
  readonly #options: HealthHintsOptions;
  readonly #current: CurrentHints;
  #hasConnected = false;

  constructor(options: HealthHintsOptions) {
    this.#options = options;
    this.#current = new CurrentHints(options.nowMs);
  }

  circuitChanged(settings: UpstreamSettings, upstreamModel: string, change: CircuitChange): void {
    this.#tell({ upstream: settings.id, digest: digestOf(settings), upstreamModel, change });
  }

  cooldownStarted(settings: UpstreamSettings, credential: number, cooldown: Cooldown): void {
    this.#tell({ upstream: settings.id, digest: digestOf(settings), credential, cooldown });
  }

  statement(): readonly HealthHint[] {
    return this.#current.list();
  }

  /** Only the first snapshot is applied. Later snapshots contain nothing new, and hints of others may have expired here. */
  connected(hints: unknown): void {
    if (this.#hasConnected) return;
    this.#hasConnected = true;
    for (const hint of hints as readonly HealthHint[]) this.#follow(hint);
  }

  #tell(hint: HealthHint): void {
    this.#current.note(hint);
    this.#options.owner.notify(`${HEALTH}.hint`, hint);
  }

  #follow(hint: HealthHint): void {
    this.#current.note(hint);
    follow(hint, this.#options.findState);
  }
}

/** The most hints. Upstreams and models come and go: beyond this, the oldest hint is dropped. */
const MAX_HINTS = 10_000;

/** The ejections and cooldowns in force, for a process that starts. */
export class CurrentHints {
  readonly #nowMs: () => number;
  /** The hints by their subject, the oldest first. */
  readonly #hints = new Map<string, { readonly hint: HealthHint; readonly atMs: number }>();

  /** The monotonic clock. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  note(hint: HealthHint): void {
    const name = nameOf(hint);
    if ("change" in hint && hint.change.kind === "probing") return;
    this.#hints.delete(name);
    if ("change" in hint && hint.change.kind === "closed") return;
    this.#hints.set(name, { hint, atMs: this.#nowMs() });
    if (this.#hints.size > MAX_HINTS) this.#hints.delete(this.#hints.keys().next().value!);
  }

  /** The hints with their remaining durations. A route whose ejection is over still has to be probed. */
  list(): HealthHint[] {
    const nowMs = this.#nowMs();
    return [...this.#hints.values()].flatMap(({ hint, atMs }) => {
      if ("change" in hint) return circuitAfter(hint, nowMs - atMs);
      const left = cooldownAfter(hint, nowMs - atMs);
      return left.cooldown.forMs > 0 ? left : [];
    });
  }
}

function nameOf(hint: HealthHint): string {
  if ("change" in hint) return JSON.stringify([hint.digest, hint.upstreamModel]);
  const { reason, upstreamModel } = hint.cooldown;
  return JSON.stringify([hint.digest, hint.credential, reason === "busy" && upstreamModel]);
}

function circuitAfter(hint: CircuitHint, elapsedMs: number): CircuitHint {
  const { change } = hint;
  return change.kind === "ejected" ? { ...hint, change: { ...change, forMs: Math.max(0, change.forMs - elapsedMs) } } : hint;
}

function cooldownAfter(hint: CooldownHint, elapsedMs: number): CooldownHint {
  const { cooldown } = hint;
  return { ...hint, cooldown: { ...cooldown, forMs: cooldown.forMs - elapsedMs } };
}

/** The name of both sides of the service. */
export const HEALTH = "health";

/**
 * What the calls of one process have revealed about an upstream. Durations count from the arrival of the hint, so that no clocks are
 * compared.
 */
export type HealthHint = CircuitHint | CooldownHint;

interface CircuitHint {
  readonly upstream: string;
  /** A process with other settings of the upstream ignores the hint. */
  readonly digest: string;
  readonly upstreamModel: string;
  readonly change: CircuitChange;
}

interface CooldownHint {
  readonly upstream: string;
  readonly digest: string;
  /** Counted from 0. */
  readonly credential: number;
  readonly cooldown: Cooldown;
}

/** The state of an upstream as configured in this process; undefined if this process does not have the upstream. */
export type FindState = (upstream: string) => UpstreamState | undefined;

/** Applies the hint in this process. */
export function follow(hint: HealthHint, findState: FindState): void {
  const state = findState(hint.upstream);
  if (!state || digestOf(state.settings) !== hint.digest) return;
  if ("change" in hint) state.healthOf(hint.upstreamModel).follow(hint.change);
  else state.credentials[hint.credential]?.cool(hint.cooldown);
}
