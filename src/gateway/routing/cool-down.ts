import type { Secret } from "../../vocabulary/secret.ts";
import type { CoolingReason } from "../../vocabulary/upstream-health.ts";
import type { UpstreamFault } from "../../vocabulary/upstream-fault.ts";

/** Where an upstream does not say when to come again. */
const BUSY_MS = 5_000;

/** A credential that was refused is not likely to be taken soon, and somebody may be mending it. */
const REFUSED_MS = 60_000;

/** Whoever asks for longer is not believed. */
const LONGEST_MS = 600_000;

/** One of our secrets at an upstream, and until when it is left alone. */
export class Credential {
  /** Undefined for the one of an upstream that asks for none. */
  readonly secret: Secret | undefined;
  readonly #nowMs: () => number;
  #coolUntilMs = 0;
  #reason: CoolingReason | undefined;

  constructor(secret: Secret | undefined, nowMs: () => number) {
    this.secret = secret;
    this.#nowMs = nowMs;
  }

  /** For how much longer it is left alone. */
  get coolForMs(): number {
    return Math.max(0, this.#coolUntilMs - this.#nowMs());
  }

  get reason(): CoolingReason | undefined {
    return this.coolForMs > 0 ? this.#reason : undefined;
  }

  /** Leaves it alone for a while, where the fault is about it and not about the upstream. */
  heed({ kind, retryAfterMs }: UpstreamFault): void {
    if (kind !== "busy" && kind !== "credential") return;
    const forMs = Math.min(retryAfterMs ?? (kind === "busy" ? BUSY_MS : REFUSED_MS), LONGEST_MS);
    const untilMs = this.#nowMs() + forMs;
    if (untilMs <= this.#coolUntilMs) return;
    this.#coolUntilMs = untilMs;
    this.#reason = kind;
  }
}
