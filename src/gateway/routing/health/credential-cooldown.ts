import type { Secret } from "../../../lib/secret/secret.ts";
import type { CoolingReason, CredentialHealth } from "../../../models/upstream-health.ts";
import type { UpstreamFault } from "../../../models/upstream-fault.ts";

/** The cooldown after a 429 without `Retry-After`. */
const RATE_LIMITED_MS = 5_000;

/** The cooldown of a rejected credential, which an operator has to replace. */
const REJECTED_MS = 60_000;

/** A longer `Retry-After` is capped. */
const MAX_COOLDOWN_MS = 600_000;

/** A cooldown that is longer by less than this is not worth telling others: many calls are rejected at once. */
const TOLD_DIFFERENCE_MS = 250;

/** A cooldown of a credential. One with the reason `credential` is for every model. */
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
  /** The account whose request may be the reason of a rejection: the cooldown is for it alone. */
  #suspect: string | undefined;
  #suspectedUntilMs = 0;
  /** By upstream model. */
  readonly #limitedUntilMs = new Map<string, number>();

  /** `onCooldown` is called for what the calls of this process show. */
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
   * Starts a cooldown where the fault concerns the credential and not the upstream: for the account of the request where that may be the reason, until
   * another account has shown the same.
   */
  noteFault({ kind, retryAfterMs, mayBeOfRequest }: UpstreamFault, upstreamModel: string, account?: string): void {
    if (kind !== "credential" && kind !== "busy") return;
    const usualMs = kind === "credential" ? REJECTED_MS : RATE_LIMITED_MS;
    const cooldown = { reason: kind, upstreamModel, forMs: Math.min(retryAfterMs ?? usualMs, MAX_COOLDOWN_MS) };
    if (mayBeOfRequest && account !== undefined && this.#suspectAlone(account, cooldown.forMs)) return;
    if (this.cool(cooldown) >= TOLD_DIFFERENCE_MS) this.#onCooldown?.(cooldown);
  }

  /** Whether no other account has shown the same within the cooldown of this one. */
  #suspectAlone(account: string, forMs: number): boolean {
    const nowMs = this.#nowMs();
    if (this.#suspectedUntilMs > nowMs && this.#suspect !== account) return false;
    this.#suspect = account;
    this.#suspectedUntilMs = Math.max(this.#suspectedUntilMs, nowMs + forMs);
    return true;
  }

  /** Starts a cooldown, also that of another process. A shorter one does not end a longer one. Returns by how much it is longer than before. */
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
