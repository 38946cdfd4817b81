import type { Secret } from "../../../lib/secret/secret.ts";
import type { CredentialHealth } from "../../../models/upstream-health.ts";
import type { UpstreamFault } from "../../../models/upstream-fault.ts";

/** Where an upstream does not say when to come again. */
const BUSY_MS = 5_000;

/** A credential that was refused is not likely to be taken soon, and somebody may be mending it. */
const REFUSED_MS = 60_000;

/** Whoever asks for longer is not believed. */
const LONGEST_MS = 600_000;

/**
 * One of our secrets at an upstream, and its cooldown. A rate limit (429) is one model's: providers count requests and tokens by
 * model, so that the others can still be asked. A refusal (401, 402, 403) is the credential's, for every model.
 */
export class Credential {
  /** Undefined for the one of an upstream that asks for none. */
  readonly secret: Secret | undefined;
  readonly #nowMs: () => number;
  #refusedUntilMs = 0;
  /** By upstream model. */
  readonly #limitedUntilMs = new Map<string, number>();

  constructor(secret: Secret | undefined, nowMs: () => number) {
    this.secret = secret;
    this.#nowMs = nowMs;
  }

  /** The cooldown that remains for calls of this upstream model. */
  coolForMs(upstreamModel: string): number {
    const limitedUntilMs = this.#limitedUntilMs.get(upstreamModel) ?? 0;
    return Math.max(0, Math.max(this.#refusedUntilMs, limitedUntilMs) - this.#nowMs());
  }

  /** Begins a cooldown where the fault is about the credential and not about the upstream. A shorter one does not end a longer. */
  heed({ kind, retryAfterMs }: UpstreamFault, upstreamModel: string): void {
    if (kind === "credential") {
      this.#refusedUntilMs = Math.max(this.#refusedUntilMs, this.#untilMs(retryAfterMs ?? REFUSED_MS));
    } else if (kind === "busy") {
      const beforeMs = this.#limitedUntilMs.get(upstreamModel) ?? 0;
      this.#limitedUntilMs.set(upstreamModel, Math.max(beforeMs, this.#untilMs(retryAfterMs ?? BUSY_MS)));
    }
  }

  /** For operators. */
  get health(): CredentialHealth {
    const nowMs = this.#nowMs();
    const refusedForMs = Math.max(0, this.#refusedUntilMs - nowMs);
    const models = [...this.#limitedUntilMs]
      .flatMap(([upstreamModel, untilMs]) => (untilMs > nowMs ? { upstreamModel, coolForMs: untilMs - nowMs } : []))
      .toSorted((one, other) => (one.upstreamModel < other.upstreamModel ? -1 : 1));
    return {
      last4: this.secret?.lastFour() ?? null,
      coolForMs: refusedForMs > 0 ? refusedForMs : Math.max(0, ...models.map(({ coolForMs }) => coolForMs)),
      reason: refusedForMs > 0 ? "credential" : models.length > 0 ? "busy" : undefined,
      models,
    };
  }

  #untilMs(forMs: number): number {
    return this.#nowMs() + Math.min(forMs, LONGEST_MS);
  }
}
