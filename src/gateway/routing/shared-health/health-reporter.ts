import type { IpcPeer, ProcessService } from "../../../lib/ipc/ipc-service.ts";
import type { UpstreamHealth } from "../../../models/upstream-health.ts";
import type { UpstreamSettings } from "../../../models/upstream-settings.ts";
import type { DeviationCounts } from "../health/deviation-counts.ts";
import { digestOf } from "./upstream-digest.ts";
import { REPORTS, type UpstreamReport } from "./upstream-report.ts";

const INTERVAL_MS = 1_000;

export interface HealthReporterOptions {
  readonly owner: Pick<IpcPeer, "notify">;
  readonly upstreams: () => Iterable<UpstreamSettings>;
  readonly healthOf: (settings: UpstreamSettings) => UpstreamHealth;
  readonly deviations: DeviationCounts;
}

/** Reports the health of upstreams and the format deviations of their responses to the owner, for operators. `MergedHealth` is the other side. */
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
    // What was counted between the statement and this is in neither: a report with everything follows.
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
