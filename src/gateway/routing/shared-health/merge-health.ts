import type { CredentialHealth, IdentityState, ModelHealth, RouteState, UpstreamHealth } from "../../../models/upstream-health.ts";
import type { TimedHealth } from "./reported-health.ts";

/** The worst one last. */
const BY_SEVERITY: readonly RouteState[] = ["healthy", "probing", "ejected"];

type TimedModel = ModelHealth & { readonly latencyAtMs: number };

/** The health of an upstream in all processes: sums of calls, the worst state, the latest latency and the longest cooldown. */
export function mergeHealth(parts: readonly TimedHealth[]): UpstreamHealth {
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
  };
}

function mergeModels(parts: readonly TimedModel[]): ModelHealth {
  const severity = Math.max(...parts.map(({ state }) => BY_SEVERITY.indexOf(state)));
  const known = parts.filter(({ latencyMs }) => latencyMs !== undefined);
  return {
    upstreamModel: parts[0]!.upstreamModel,
    state: BY_SEVERITY[severity]!,
    dueInMs: Math.max(...parts.map(({ dueInMs }) => dueInMs)),
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

/** Each process obtains credentials of its own: those that expire first, and any failure. A process that failed without any has none that expire later. */
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
