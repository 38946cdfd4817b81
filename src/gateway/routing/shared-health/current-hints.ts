import type { CircuitHint, CooldownHint, HealthHint } from "./health-hint.ts";

/** Upstreams and models come and go: beyond this the oldest hint is dropped. */
const MAX_HINTS = 10_000;

/** The ejections and cooldowns in force, for a process that starts. */
export class CurrentHints {
  readonly #nowMs: () => number;
  /** By what they concern, the oldest first. */
  readonly #hints = new Map<string, { readonly hint: HealthHint; readonly atMs: number }>();

  /** By the monotonic clock. */
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

  /** With the remaining durations. A route whose ejection is over is still to be probed. */
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
