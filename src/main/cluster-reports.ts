import type { Refusals } from "../alerts/rules/refusals.ts";
import { HealthReporter, type UpstreamReport } from "../gateway/routing/shared-health/reported-health.ts";
import { MergedHealth } from "../gateway/routing/shared-health/merged-health.ts";
import type { UpstreamHealth } from "../models/upstream-health.ts";
import type { CatalogReader } from "../stores/catalog/catalog-store.ts";
import type { ProcessReportStore, RefusedLimit } from "../stores/process-reports/process-report-store.ts";
import type { GatewayUpstreams } from "./gateway-upstreams.ts";

interface ClusterReportsOptions {
  readonly store: ProcessReportStore;
  /** The upstreams of this process. */
  readonly upstreams: GatewayUpstreams;
  readonly catalog: CatalogReader;
  /** Whether this process evaluates alerts. */
  readonly isLeader: () => boolean;
  /** Whether this process serves operators, or may become the leader. */
  readonly readsHealth: boolean;
  /** The monotonic clock. */
  readonly nowMs: () => number;
}

const EXCHANGE_EVERY_MS = 1000;
/** A report is repeated after this time, in case a crash of the database has lost it. */
const REPEAT_MS = 30_000;
/** After this time, a route that is due for a probe but is not called says nothing about the upstream. */
const FORGET_PROBING_MS = 60_000;

/**
 * The reports that a process with a shared database sends to the others once a second: the health of its upstreams, and the requests that
 * were rejected for lack of credit. The process that evaluates alerts sees the reports of all processes.
 */
export class ClusterReports {
  /** The health here is based on the calls of all processes. */
  readonly upstreams: GatewayUpstreams;
  readonly #options: ClusterReportsOptions;
  readonly #merged: MergedHealth;
  readonly #reporter: HealthReporter;
  readonly #others = new Set<string>();
  /** When each route became due for a probe, by upstream and model. */
  #probingSinceMs = new Map<string, number>();
  #written = { text: "", atMs: Number.NEGATIVE_INFINITY };
  #timer: Timer | undefined;
  #exchange: Promise<unknown> = Promise.resolve();

  constructor(options: ClusterReportsOptions) {
    const { upstreams, catalog, nowMs } = options;
    const { health: healthOf, deviations } = upstreams;
    this.#options = options;
    this.#merged = new MergedHealth({ healthOf, deviations, nowMs });
    this.#reporter = new HealthReporter({
      owner: { notify: () => undefined },
      upstreams: () => catalog.upstreams().values(),
      healthOf,
      deviations,
    });
    this.upstreams = { ...upstreams, health: (settings) => this.#merged.health(settings) };
  }

  /** `refusals` come from this process; in the process that evaluates alerts, from all processes. */
  start(refusals: Refusals): void {
    const exchangeAgain = (): void => {
      this.#exchange = this.exchange(refusals)
        // An unavailable database is reported by the ledger.
        .catch(() => undefined)
        .finally(() => {
          if (this.#timer) this.#timer = setTimeout(exchangeAgain, EXCHANGE_EVERY_MS).unref();
        });
    };
    this.#timer = setTimeout(exchangeAgain, 0).unref();
  }

  async exchange(refusals: Refusals): Promise<void> {
    if (this.#options.isLeader()) await this.#takeRefusals(refusals);
    else await this.#addRefusals(refusals);
    await this.#reportHealth();
    if (this.#options.readsHealth) await this.#readHealth();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#exchange;
    await this.#options.store.forget();
  }

  async #takeRefusals(refusals: Refusals): Promise<void> {
    for (const { scope, id, what, leftNanos } of await this.#options.store.takeRefusals()) {
      refusals.add({ scope, id, refused: new Map([[what, leftNanos]]) });
    }
  }

  async #addRefusals(refusals: Refusals): Promise<void> {
    const taken = refusals.take();
    if (taken.length === 0) return;
    const limits = taken.flatMap(({ scope, id, refused }): RefusedLimit[] =>
      [...refused].map(([what, leftNanos]) => ({ scope, id, what, leftNanos })),
    );
    try {
      await this.#options.store.addRefusals(limits);
    } catch (error) {
      for (const spender of taken) refusals.add(spender);
      throw error;
    }
  }

  async #reportHealth(): Promise<void> {
    const { store, nowMs } = this.#options;
    const text = JSON.stringify(this.#withoutForgotten(this.#reporter.statement().upstreams));
    if (text === this.#written.text && nowMs() - this.#written.atMs < REPEAT_MS) return;
    await store.reportUpstreams(text);
    this.#written = { text, atMs: nowMs() };
  }

  #withoutForgotten(upstreams: UpstreamReport["upstreams"]): UpstreamReport["upstreams"] {
    const nowMs = this.#options.nowMs();
    const since = new Map<string, number>();
    const isKept = (digest: string, { upstreamModel, state }: UpstreamHealth["models"][number]): boolean => {
      if (state !== "probing") return true;
      const name = `${digest} ${upstreamModel}`;
      const sinceMs = this.#probingSinceMs.get(name) ?? nowMs;
      since.set(name, sinceMs);
      return nowMs - sinceMs < FORGET_PROBING_MS;
    };
    const kept = upstreams.map(([digest, health]) => {
      return [digest, { ...health, models: health.models.filter((model) => isKept(digest, model)) }] as const;
    });
    this.#probingSinceMs = since;
    return kept;
  }

  async #readHealth(): Promise<void> {
    const reports = await this.#options.store.upstreamReports();
    for (const id of this.#others) if (!reports.has(id)) this.#merged.ended(id);
    this.#others.clear();
    for (const [id, text] of reports) {
      this.#others.add(id);
      this.#merged.connected({ id }, {
        upstreams: JSON.parse(text) as UpstreamReport["upstreams"],
        deviations: null,
      } satisfies UpstreamReport);
    }
  }
}
