import type { ConnectedProcess, OwnerService } from "../../../lib/ipc/ipc-service.ts";
import type { UpstreamSettings } from "../../../models/upstream-settings.ts";
import type { CircuitChange } from "../health/circuit-breaker.ts";
import type { HealthObserver, Cooldown } from "../health/upstream-state.ts";
import { CurrentHints, follow, HEALTH, type FindState, type HealthHint } from "./health-hints.ts";
import { digestOf } from "./upstream-digest.ts";

interface HealthHintsOwnerOptions {
  readonly findState: FindState;
  /** By the monotonic clock. */
  readonly nowMs: () => number;
}

/**
 * Forwards health hints about an upstream from one process to the others, and to the owner process itself. `HealthHints` is the other side.
 */
export class HealthHintsOwner implements OwnerService, HealthObserver {
  readonly name = HEALTH;
  readonly notices = {
    hint: ({ id }: Pick<ConnectedProcess, "id">, body: unknown): void => {
      const hint = body as HealthHint;
      this.#follow(hint);
      this.#relay(hint, id);
    },
  };
  readonly #options: HealthHintsOwnerOptions;
  readonly #current: CurrentHints;
  readonly #processes = new Map<string, ConnectedProcess>();

  constructor(options: HealthHintsOwnerOptions) {
    this.#options = options;
    this.#current = new CurrentHints(options.nowMs);
  }

  /** Reports a change that calls of the owner process have revealed. */
  circuitChanged(settings: UpstreamSettings, upstreamModel: string, change: CircuitChange): void {
    this.#tell({ upstream: settings.id, digest: digestOf(settings), upstreamModel, change });
  }

  cooldownStarted(settings: UpstreamSettings, credential: number, cooldown: Cooldown): void {
    this.#tell({ upstream: settings.id, digest: digestOf(settings), credential, cooldown });
  }

  /**
   * A process that has outlived its owner sends all its hints. The other processes have received these hints before, or have seen them
   * expire.
   */
  connected(process: ConnectedProcess, statement: unknown): readonly HealthHint[] {
    this.#processes.set(process.id, process);
    const hints = this.#current.list();
    for (const hint of (statement ?? []) as readonly HealthHint[]) this.#follow(hint);
    return hints;
  }

  disconnected(processId: string): void {
    this.#processes.delete(processId);
  }

  #tell(hint: HealthHint): void {
    this.#current.note(hint);
    this.#relay(hint);
  }

  #follow(hint: HealthHint): void {
    this.#current.note(hint);
    follow(hint, this.#options.findState);
  }

  #relay(hint: HealthHint, from?: string): void {
    for (const process of this.#processes.values()) if (process.id !== from) process.notify(`${HEALTH}.hint`, hint);
  }
}
