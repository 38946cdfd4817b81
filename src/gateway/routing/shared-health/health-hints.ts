import type { IpcPeer, ProcessService } from "../../../lib/ipc/ipc-service.ts";
import type { UpstreamSettings } from "../../../models/upstream-settings.ts";
import type { CircuitChange } from "../health/circuit-breaker.ts";
import type { Cooldown } from "../health/credential-cooldown.ts";
import type { HealthObserver } from "../health/upstream-state.ts";
import { CurrentHints } from "./current-hints.ts";
import { follow, HEALTH, type FindState, type HealthHint } from "./health-hint.ts";
import { digestOf } from "./upstream-digest.ts";

export interface HealthHintsOptions {
  readonly owner: Pick<IpcPeer, "notify">;
  readonly findState: FindState;
  /** By the monotonic clock. */
  readonly nowMs: () => number;
}

/**
 * Reports to the owner which routes the calls of this process have ejected or found healthy, and which credentials have a cooldown, and follows the
 * reports of other processes: a dead upstream is discovered once. `HealthHintsOwner` is the other side.
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

  /** Later ones tell nothing new: what others have stated may be over here. */
  connected(told: unknown): void {
    if (this.#hasConnected) return;
    this.#hasConnected = true;
    for (const hint of told as readonly HealthHint[]) this.#follow(hint);
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
