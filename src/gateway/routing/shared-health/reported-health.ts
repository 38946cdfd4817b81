import type { CredentialHealth, UpstreamHealth } from "../../../models/upstream-health.ts";
import type { IpcPeer, ProcessService } from "../../../lib/ipc/ipc-service.ts";
import type { UpstreamSettings } from "../../../models/upstream-settings.ts";
import type { DeviationCounts } from "../health/deviation-counts.ts";
import { digestOf } from "./upstream-digest.ts";
import type { DeviationCount } from "../../../models/deviation.ts";

/** The health of an upstream in one process. */
export interface TimedHealth {
  readonly health: UpstreamHealth;
  /** When the current latency of each upstream model was first reported. */
  readonly latencyAtMs: ReadonlyMap<string, number>;
}

/** The last report of one process. Its durations keep counting down. */
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

  /** The health as of now. Undefined if the process has not called the upstream. */
  get(digest: string): TimedHealth | undefined {
    const reported = this.#upstreams.get(digest);
    return reported && { ...reported, health: healthAfter(reported.health, this.#nowMs() - reported.atMs) };
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

function healthAfter(health: UpstreamHealth, elapsedMs: number): UpstreamHealth {
  return {
    ...health,
    models: health.models.map((model) => ({ ...model, probeDueInMs: Math.max(0, model.probeDueInMs - elapsedMs) })),
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

const INTERVAL_MS = 1_000;

interface HealthReporterOptions {
  readonly owner: Pick<IpcPeer, "notify">;
  readonly upstreams: () => Iterable<UpstreamSettings>;
  readonly healthOf: (settings: UpstreamSettings) => UpstreamHealth;
  readonly deviations: DeviationCounts;
}

/**
 * Reports the health of upstreams and the format deviations of their responses to the owner, for operators. `MergedHealth` is the other
 * side.
 */
export class HealthReporter implements ProcessService {
  readonly name = REPORTS;
  readonly #options: HealthReporterOptions;
  #timer: Timer | undefined;
  #sent = "";
  #sentDeviations = 0;

  constructor(options: HealthReporterOptions) {
    this.#options = options;
  }

  statement(): UpstreamReport {
    return { upstreams: this.#upstreams(), deviations: this.#options.deviations.snapshot() };
  }

  connected(): void {
    // Deviations counted between the statement and this moment are in neither, so a full report follows.
    this.#sent = "";
    this.#sentDeviations = -1;
    this.#timer = setInterval(() => this.report(), INTERVAL_MS);
    this.#timer.unref();
  }

  disconnected(): void {
    clearInterval(this.#timer);
  }

  /** Sends what has changed since the last report. */
  report(): void {
    const { owner, deviations } = this.#options;
    const { total } = deviations;
    const upstreams = this.#upstreams();
    const text = JSON.stringify(upstreams);
    if (text === this.#sent && total === this.#sentDeviations) return;
    const changed = total === this.#sentDeviations ? null : deviations.snapshot();
    this.#sent = text;
    this.#sentDeviations = total;
    owner.notify(`${REPORTS}.report`, { upstreams, deviations: changed } satisfies UpstreamReport);
  }

  #upstreams(): [digest: string, health: UpstreamHealth][] {
    const { upstreams, healthOf } = this.#options;
    return [...upstreams()].flatMap((settings) => {
      const health = healthOf(settings);
      return isUnused(health) ? [] : [[digestOf(settings), health]];
    });
  }
}

function isUnused({ inFlight, queued, models, credentials, identity }: UpstreamHealth): boolean {
  if (identity?.source !== undefined || identity?.failure !== undefined) return false;
  return inFlight === 0 && queued === 0 && models.length === 0 && credentials.every(({ coolForMs }) => coolForMs === 0);
}

/** The name of both sides of the service. */
export const REPORTS = "upstream-reports";

/** Process to owner: the state of its upstreams. It replaces the process's last report. */
export interface UpstreamReport {
  /** The upstreams that the process has called. */
  readonly upstreams: readonly (readonly [digest: string, health: UpstreamHealth])[];
  /** All format deviations since the start of the process. Null if none was counted since the last report. */
  readonly deviations: readonly DeviationCount[] | null;
}
