import type { ConnectedProcess, OwnerService } from "../../../lib/ipc/ipc-service.ts";
import type { DeviationCount, Deviation } from "../../../models/deviation.ts";
import type { UpstreamHealth, CredentialHealth, IdentityState, ModelHealth, RouteState } from "../../../models/upstream-health.ts";
import type { UpstreamSettings } from "../../../models/upstream-settings.ts";
import type { DeviationCounts } from "../health/deviation-counts.ts";
import { ReportedHealth, type TimedHealth, REPORTS, type UpstreamReport } from "./reported-health.ts";
import { digestOf } from "./upstream-digest.ts";

interface MergedHealthOptions {
  /** The health of an upstream in the owner process. */
  readonly healthOf: (settings: UpstreamSettings) => UpstreamHealth;
  readonly deviations: DeviationCounts;
  /** The monotonic clock. */
  readonly nowMs: () => number;
}

interface ReportingProcess {
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
  readonly #processes = new Map<string, ReportingProcess>();
  /** The deviations of processes that have ended. */
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

  /** The deviations since the start of the owner, or, in processes that have outlived a previous owner, since the start of the process. */
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

/** The format deviations of several processes together, by upstream, then by model. */
function sumDeviations(lists: Iterable<readonly DeviationCount[]>): DeviationCount[] {
  const sums = new Map<string, DeviationCount & { readonly counts: Partial<Record<Deviation, number>> }>();
  for (const { upstream, model, counts } of [...lists].flat()) {
    // Neither id can have a space in it.
    const name = `${upstream} ${model}`;
    const summed = sums.get(name) ?? { upstream, model, counts: {} };
    sums.set(name, summed);
    for (const [deviation, count] of Object.entries(counts) as [Deviation, number][]) {
      summed.counts[deviation] = (summed.counts[deviation] ?? 0) + count;
    }
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, summed]) => summed);
}

/** The states, the worst last. */
const BY_SEVERITY: readonly RouteState[] = ["healthy", "probing", "ejected"];

type TimedModel = ModelHealth & { readonly latencyAtMs: number };

/** The health of an upstream in all processes: sums of calls, the worst state, the latest latency and the longest cooldown. */
function mergeHealth(parts: readonly TimedHealth[]): UpstreamHealth {
  const models = parts.flatMap(({ health, latencyAtMs }) =>
    health.models.map((model) => ({ ...model, latencyAtMs: latencyAtMs.get(model.upstreamModel)! })),
  );
  const credentials = Math.max(0, ...parts.map(({ health }) => health.credentials.length));
  return {
    inFlight: sum(parts, ({ health }) => health.inFlight),
    queued: sum(parts, ({ health }) => health.queued),
    models: groupByName(models).map(mergeModels),
    credentials: Array.from({ length: credentials }, (_, at) =>
      mergeCredentials(parts.flatMap(({ health }) => health.credentials[at] ?? [])),
    ),
    identity: mergeIdentities(parts.flatMap(({ health }) => health.identity ?? [])),
    implausibleUsages: sum(parts, ({ health }) => health.implausibleUsages ?? 0),
    unpricedUsages: sum(parts, ({ health }) => health.unpricedUsages ?? 0),
    unpricedFields: [...new Set(parts.flatMap(({ health }) => health.unpricedFields ?? []))],
  };
}

function mergeModels(parts: readonly TimedModel[]): ModelHealth {
  const severity = Math.max(...parts.map(({ state }) => BY_SEVERITY.indexOf(state)));
  const known = parts.filter(({ latencyMs }) => latencyMs !== undefined);
  return {
    upstreamModel: parts[0]!.upstreamModel,
    state: BY_SEVERITY[severity]!,
    probeDueInMs: Math.max(...parts.map(({ probeDueInMs }) => probeDueInMs)),
    inFlight: sum(parts, ({ inFlight }) => inFlight),
    latencyMs: known.toSorted((one, other) => other.latencyAtMs - one.latencyAtMs)[0]?.latencyMs,
    recent: { calls: sum(parts, ({ recent }) => recent.calls), failures: sum(parts, ({ recent }) => recent.failures) },
  };
}

/** A rejection of the credential, for every model, outweighs a rate limit. */
function mergeCredentials(parts: readonly CredentialHealth[]): CredentialHealth {
  const rejected = parts.filter(({ reason }) => reason === "credential");
  const decisive = rejected.length > 0 ? rejected : parts;
  return {
    last4: parts[0]!.last4,
    coolForMs: Math.max(...decisive.map(({ coolForMs }) => coolForMs)),
    reason: decisive.find(({ reason }) => reason !== undefined)?.reason,
    models: groupByName(parts.flatMap(({ models }) => models)).map((same) => ({
      upstreamModel: same[0]!.upstreamModel,
      coolForMs: Math.max(...same.map(({ coolForMs }) => coolForMs)),
    })),
  };
}

/**
 * Each process obtains its own credentials. Shows the credentials that expire first, and any failure. If a process failed and has no
 * credentials, no expiry is shown.
 */
function mergeIdentities(parts: readonly IdentityState[]): IdentityState | undefined {
  if (parts.length === 0) return undefined;
  const failed = parts.filter(({ failure }) => failure !== undefined);
  const without = failed.find(({ expiresAtMs }) => expiresAtMs === undefined);
  const expiries = without ? [] : parts.flatMap(({ expiresAtMs }) => expiresAtMs ?? []);
  return {
    source: parts.find(({ source }) => source !== undefined)?.source,
    expiresAtMs: expiries.length === 0 ? undefined : Math.min(...expiries),
    failure: (without ?? failed[0])?.failure,
    refreshFailures: sum(parts, ({ refreshFailures }) => refreshFailures),
    clockSkewMs: parts.toSorted((one, other) => Math.abs(other.clockSkewMs) - Math.abs(one.clockSkewMs))[0]!.clockSkewMs,
  };
}

/** By upstream model, in order. */
function groupByName<T extends { readonly upstreamModel: string }>(things: readonly T[]): T[][] {
  const groups = Map.groupBy(things, ({ upstreamModel }) => upstreamModel);
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

function sum<T>(things: readonly T[], amount: (thing: T) => number): number {
  return things.reduce((total, thing) => total + amount(thing), 0);
}
