import type { ConnectedProcess, OwnerService } from "../../../lib/ipc/ipc-service.ts";
import type { DeviationCount } from "../../../models/deviation.ts";
import type { UpstreamHealth } from "../../../models/upstream-health.ts";
import type { UpstreamSettings } from "../../../models/upstream-settings.ts";
import type { DeviationCounts } from "../health/deviation-counts.ts";
import { mergeHealth } from "./merge-health.ts";
import { ReportedHealth } from "./reported-health.ts";
import { sumDeviations } from "./sum-deviations.ts";
import { digestOf } from "./upstream-digest.ts";
import { REPORTS, type UpstreamReport } from "./upstream-report.ts";

export interface MergedHealthOptions {
  /** In the owner process. */
  readonly healthOf: (settings: UpstreamSettings) => UpstreamHealth;
  readonly deviations: DeviationCounts;
  /** By the monotonic clock. */
  readonly nowMs: () => number;
}

interface Reporting {
  readonly health: ReportedHealth;
  deviations: readonly DeviationCount[];
}

/** The health of upstreams and the format deviations in all processes, as last reported. `HealthReporter` is the other side. */
export class MergedHealth implements OwnerService {
  readonly name = REPORTS;
  readonly notices = {
    report: ({ id }: Pick<ConnectedProcess, "id">, body: unknown): void => this.#reported(id, body as UpstreamReport),
  };
  readonly #options: MergedHealthOptions;
  readonly #own: ReportedHealth;
  readonly #processes = new Map<string, Reporting>();
  /** Of processes that have ended. */
  #earlier: readonly DeviationCount[] = [];

  constructor(options: MergedHealthOptions) {
    this.#options = options;
    this.#own = new ReportedHealth(options.nowMs);
  }

  connected({ id }: Pick<ConnectedProcess, "id">, statement: unknown): void {
    if (!this.#processes.has(id)) this.#processes.set(id, { health: new ReportedHealth(this.#options.nowMs), deviations: [] });
    this.#reported(id, statement as UpstreamReport);
  }

  ended(processId: string): void {
    this.#earlier = sumDeviations([this.#earlier, this.#processes.get(processId)?.deviations ?? []]);
    this.#processes.delete(processId);
  }

  health(settings: UpstreamSettings): UpstreamHealth {
    const digest = digestOf(settings);
    this.#own.set(digest, this.#options.healthOf(settings));
    const parts = [this.#own, ...this.#processes.values().map(({ health }) => health)];
    return mergeHealth(parts.flatMap((part) => part.get(digest) ?? []));
  }

  /** Since the start of the owner, and in processes that have outlived the previous one since their start. */
  deviations(): DeviationCount[] {
    const current = this.#processes.values().map(({ deviations }) => deviations);
    return sumDeviations([this.#options.deviations.snapshot(), this.#earlier, ...current]);
  }

  #reported(processId: string, { upstreams, deviations }: UpstreamReport): void {
    const reporting = this.#processes.get(processId);
    if (!reporting) return;
    reporting.health.replace(upstreams);
    if (deviations) reporting.deviations = deviations;
  }
}
