import type { CredentialHealth, UpstreamHealth } from "../../../models/upstream-health.ts";

/** The health of an upstream in one process. */
export interface TimedHealth {
  readonly health: UpstreamHealth;
  /** When the latency of each upstream model was reported first. */
  readonly latencyAtMs: ReadonlyMap<string, number>;
}

/** The last report of one process. Its durations run on. */
export class ReportedHealth {
  readonly #nowMs: () => number;
  #upstreams = new Map<string, TimedHealth & { readonly atMs: number }>();

  /** By the monotonic clock. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** All upstreams of the process. */
  replace(upstreams: Iterable<readonly [digest: string, health: UpstreamHealth]>): void {
    this.#upstreams = new Map(Array.from(upstreams, ([digest, health]) => [digest, this.#timed(digest, health)]));
  }

  set(digest: string, health: UpstreamHealth): void {
    this.#upstreams.set(digest, this.#timed(digest, health));
  }

  /** As it is by now. Undefined where the process has not called the upstream. */
  get(digest: string): TimedHealth | undefined {
    const reported = this.#upstreams.get(digest);
    return reported && { ...reported, health: after(reported.health, this.#nowMs() - reported.atMs) };
  }

  #timed(digest: string, health: UpstreamHealth): TimedHealth & { readonly atMs: number } {
    const atMs = this.#nowMs();
    const before = this.#upstreams.get(digest);
    const latencyAtMs = new Map<string, number>();
    for (const { upstreamModel, latencyMs } of health.models) {
      const last = before?.health.models.find((model) => model.upstreamModel === upstreamModel);
      const isSame = last !== undefined && last.latencyMs === latencyMs;
      latencyAtMs.set(upstreamModel, isSame ? before!.latencyAtMs.get(upstreamModel)! : atMs);
    }
    return { health, latencyAtMs, atMs };
  }
}

function after(health: UpstreamHealth, elapsedMs: number): UpstreamHealth {
  return {
    ...health,
    models: health.models.map((model) => ({ ...model, dueInMs: Math.max(0, model.dueInMs - elapsedMs) })),
    credentials: health.credentials.map((credential) => cooledAfter(credential, elapsedMs)),
  };
}

function cooledAfter({ last4, coolForMs, reason, models }: CredentialHealth, elapsedMs: number): CredentialHealth {
  const leftMs = Math.max(0, coolForMs - elapsedMs);
  return {
    last4,
    coolForMs: leftMs,
    reason: leftMs > 0 ? reason : undefined,
    models: models.flatMap((model) => (model.coolForMs > elapsedMs ? { ...model, coolForMs: model.coolForMs - elapsedMs } : [])),
  };
}
