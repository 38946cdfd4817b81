import type { Log } from "../lib/log/log.ts";
import type { UpstreamHealth } from "../models/upstream-health.ts";
import { identityOf, type UpstreamSettings } from "../models/upstream-settings.ts";

const INTERVAL_MS = 2_000;

interface IdentityLogOptions {
  readonly upstreams: () => ReadonlyMap<string, UpstreamSettings>;
  readonly healthOf: (settings: UpstreamSettings) => UpstreamHealth;
  readonly log: Pick<Log, "write">;
}

/** Logs when the credentials of an identity cannot be obtained, and when they can be obtained again. */
export class IdentityLog {
  readonly #options: IdentityLogOptions;
  readonly #failed = new Set<string>();
  #timer: Timer | undefined;

  constructor(options: IdentityLogOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.check(), INTERVAL_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  check(): void {
    const { upstreams, healthOf } = this.#options;
    for (const settings of upstreams().values()) {
      if (identityOf(settings)) this.#note(settings.id, healthOf(settings).identity);
    }
  }

  #note(upstream: string, identity: UpstreamHealth["identity"]): void {
    const { log } = this.#options;
    const failure = identity?.failure;
    if (failure !== undefined && !this.#failed.has(upstream)) {
      this.#failed.add(upstream);
      const message = `the credentials of the identity of the upstream ${upstream} cannot be obtained: ${failure}`;
      log.write({ level: "warn", event: "identity_failed", message });
    } else if (failure === undefined && identity?.source !== undefined && this.#failed.delete(upstream)) {
      log.write({ event: "identity_restored", message: `the credentials of the identity of the upstream ${upstream} were obtained again` });
    }
  }
}
