import type { Secret } from "../../../lib/secret/secret.ts";
import type { CredentialHealth } from "../../../models/upstream-health.ts";
import type { UpstreamFault } from "../../../models/upstream-fault.ts";

/** The cooldown after a 429 without `Retry-After`. */
const RATE_LIMITED_MS = 5_000;

/** The cooldown of a rejected credential, which an operator has to replace. */
const REJECTED_MS = 60_000;

/** A longer `Retry-After` is capped. */
const MAX_COOLDOWN_MS = 600_000;

/**
 * A credential of an upstream, and its cooldown. A rate limit (429) is per model: providers count requests and tokens by model, so that
 * the other models can still be called. A rejection (401, 402, 403) concerns the credential, for every model.
 */
export class Credential {
  /** Undefined for an upstream without authentication. */
  readonly secret: Secret | undefined;
  readonly #nowMs: () => number;
  #rejectedUntilMs = 0;
  /** By upstream model. */
  readonly #limitedUntilMs = new Map<string, number>();

  constructor(secret: Secret | undefined, nowMs: () => number) {
    this.secret = secret;
    this.#nowMs = nowMs;
  }

  /** The remaining cooldown for calls of this upstream model. */
  cooldownMs(upstreamModel: string): number {
    const limitedUntilMs = this.#limitedUntilMs.get(upstreamModel) ?? 0;
    return Math.max(0, Math.max(this.#rejectedUntilMs, limitedUntilMs) - this.#nowMs());
  }

  /** Starts a cooldown where the fault concerns the credential and not the upstream. A shorter one does not end a longer one. */
  noteFault({ kind, retryAfterMs }: UpstreamFault, upstreamModel: string): void {
    if (kind === "credential") {
      this.#rejectedUntilMs = Math.max(this.#rejectedUntilMs, this.#untilMs(retryAfterMs ?? REJECTED_MS));
    } else if (kind === "busy") {
      const beforeMs = this.#limitedUntilMs.get(upstreamModel) ?? 0;
      this.#limitedUntilMs.set(upstreamModel, Math.max(beforeMs, this.#untilMs(retryAfterMs ?? RATE_LIMITED_MS)));
    }
  }

  /** For operators. */
  get health(): CredentialHealth {
    const nowMs = this.#nowMs();
    const rejectedForMs = Math.max(0, this.#rejectedUntilMs - nowMs);
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

  #untilMs(forMs: number): number {
    return this.#nowMs() + Math.min(forMs, MAX_COOLDOWN_MS);
  }
}
