import { endpointOf } from "../../money/attribution.ts";
import type { DeviationCount } from "../../models/deviation.ts";
import { outcomeOf } from "../../requests/outcome-of.ts";
import { attributionAt, callsModel, type RequestObserver } from "../../requests/request-notes.ts";
import { timingsOf } from "../../requests/request-timings.ts";
import type { UpstreamHealth } from "../../models/upstream-health.ts";
import { ChatMetrics } from "./chat-metrics.ts";
import { writeExposition, type Family } from "./exposition.ts";
import type { MergedMetrics } from "./merged-metrics.ts";
import { processFamilies, type ProcessState } from "./process-metrics.ts";
import { deviationFamily, upstreamFamilies, UpstreamNames } from "./upstream-metrics.ts";
import { Histogram } from "./histogram.ts";
import { CODES, GATEWAY_CODES, STATUS_CLASSES, type ListenerName } from "./label-values.ts";
import { Series, type Tally } from "./series.ts";
import type { BoundedNames } from "./bounded-names.ts";

/** The current values of all gauges. */
export interface GaugeValues {
  readonly process: ProcessState;
  readonly upstreams: Iterable<readonly [id: string, UpstreamHealth]>;
  readonly deviations: readonly DeviationCount[];
}

/** All metrics and their export. */
export class Metrics {
  readonly #names = new UpstreamNames();
  readonly #chats = new ChatMetrics(this.#names.upstreams);
  readonly #identities = new IdentityMetrics(this.#names.upstreams, Date.now);
  readonly #listeners = new ListenerFamilies();
  readonly #lag = new EventLoopLag();

  /** Observes the requests of model clients. */
  ofGateway(): RequestObserver {
    const listener = new ListenerMetrics(this.#listeners, "gateway");
    return (ended) => {
      listener.note(ended.status, ended.notes.code);
      if (callsModel(ended)) this.#chats.note(ended, endpointOf(attributionAt(ended.path)), outcomeOf(ended), timingsOf(ended));
    };
  }

  ofPlatform(): RequestObserver {
    const listener = new ListenerMetrics(this.#listeners, "platform");
    return ({ status, notes }) => listener.note(status, notes.code);
  }

  /** The text for Prometheus. In the owner, it includes the metrics of gateway processes. */
  write(measured: GaugeValues, ofProcesses?: MergedMetrics): Promise<string> {
    const families = this.families(measured);
    return writeExposition(ofProcesses ? ofProcesses.merge(families) : families);
  }

  families({ process, upstreams, deviations }: GaugeValues): readonly Family[] {
    const health = [...upstreams];
    return [
      ...this.#chats.families,
      ...this.#listeners.all,
      ...upstreamFamilies(health, this.#names),
      ...this.#identities.families(health),
      deviationFamily(deviations, this.#names),
      ...processFamilies(process),
      this.#lag.family,
    ];
  }

  stop(): void {
    this.#lag.stop();
  }
}

const EVERY_MS = 100;

/** Measures how late a timer fires. A long task delays everything in the process, including this timer. */
export class EventLoopLag {
  readonly family = new Histogram("tollgate_event_loop_lag_seconds");
  readonly #timer: Timer;

  constructor(now: () => number = () => performance.now()) {
    const lag = this.family.cell({});
    let dueAt = now() + EVERY_MS;
    this.#timer = setInterval(() => {
      const at = now();
      lag.observe(Math.max(0, at - dueAt) / 1000);
      dueAt = at + EVERY_MS;
    }, EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** The metrics of each listener. */
class ListenerFamilies {
  readonly requests = Series.of("tollgate_http_requests_total");
  readonly errors = Series.of("tollgate_errors_total");

  get all(): readonly Family[] {
    return [this.requests, this.errors];
  }
}

/** Counts the requests of one listener, of any kind. All series exist from the start. */
class ListenerMetrics {
  readonly #classes: readonly Tally[];
  readonly #codes: ReadonlyMap<string, Tally>;

  constructor(families: ListenerFamilies, listener: ListenerName) {
    const codes = listener === "gateway" ? GATEWAY_CODES : CODES;
    this.#classes = STATUS_CLASSES.map((status) => families.requests.cell({ listener, status }));
    this.#codes = new Map(codes.map((code) => [code, families.errors.cell({ listener, code })]));
  }

  note(status: number, code: string | undefined): void {
    this.#classes[Math.floor(status / 100) - 1]!.value++;
    const errors = code === undefined ? undefined : this.#codes.get(code);
    if (errors) errors.value++;
  }
}

/** The identities of upstreams at clouds. */
export class IdentityMetrics {
  readonly #names: BoundedNames;
  readonly #nowMs: () => number;
  readonly #failures = Series.of("tollgate_upstream_identity_refresh_failures_total");
  /** The count of each upstream at the last scrape. The count restarts at zero when settings change, but the metric must not decrease. */
  readonly #seen = new Map<string, number>();

  constructor(names: BoundedNames, nowMs: () => number) {
    this.#names = names;
    this.#nowMs = nowMs;
  }

  families(health: Iterable<readonly [id: string, UpstreamHealth]>): readonly Family[] {
    const expiry = Series.of("tollgate_upstream_identity_expiry_seconds");
    for (const [id, { identity }] of health) {
      if (!identity) continue;
      const upstream = this.#names.of(id);
      const { expiresAtMs, refreshFailures } = identity;
      if (expiresAtMs !== undefined) expiry.cell({ upstream }).value = (expiresAtMs - this.#nowMs()) / 1000;
      const seen = this.#seen.get(id) ?? 0;
      this.#failures.cell({ upstream }).value += refreshFailures < seen ? refreshFailures : refreshFailures - seen;
      this.#seen.set(id, refreshFailures);
    }
    return [expiry, this.#failures];
  }
}
