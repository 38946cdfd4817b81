import type { Route, UpstreamHealth } from "../../../../platform-client/types.ts";
import { duration } from "../../parts/format/format.ts";
import { lacksCredentials } from "./format-identity.ts";
import type { Tone } from "../../parts/tone.ts";

/** The health of an upstream, model, route or credential, for a badge. */
export interface HealthStatus {
  readonly label: string;
  readonly tone: Tone;
  /** The reason, or the remaining time. */
  readonly detail?: string;
}

type ModelHealth = UpstreamHealth["models"][number];

type CredentialHealth = UpstreamHealth["credentials"][number];

export function credentialStatus({ cooldown_ms: ms, reason, models }: CredentialHealth): HealthStatus {
  if (ms === 0) return HEALTHY;
  if (reason === "credential") {
    return { label: "cooling down", tone: "bad", detail: `Rejected or out of credit. Cooldown remaining: ${duration(ms)}.` };
  }
  const limits = models.map((each) => `${each.model} for ${duration(each.cooldown_ms)}`);
  return { label: "cooling down", tone: "warn", detail: `Rate limited: ${limits.join(", ")}.` };
}

/** Whether all credentials are cooling down for a model. A rate limit applies to one model, a rejected credential to all. */
function lacksCredential(model: string, credentials: readonly CredentialHealth[]): boolean {
  if (credentials.length === 0) return false;
  return credentials.every(({ reason, models }) => reason === "credential" || models.some((each) => each.model === model));
}

/** One failed request says little about an upstream. */
const MIN_SAMPLE = 5;

export function modelStatus(health: ModelHealth): HealthStatus {
  const { model, state, probe_in_ms: ms, recent_calls: calls, recent_failures: failures } = health;
  if (state === "ejected") return { label: "ejected", tone: "bad", detail: `Failed too often. Next probe in ${duration(ms)}.` };
  if (state === "probing") return { label: "probing", tone: "warn", detail: "The next request decides whether it recovers." };
  if (calls === 0) return NO_DATA;
  if (failures > 0 && calls < MIN_SAMPLE) {
    return { label: "few requests", tone: "plain", detail: `${failures} of the last ${calls} to ${model} failed, too few for a status.` };
  }
  // Not ejected yet: the upstream still receives its share of the traffic, but most of these requests fail.
  if (failures * 2 > calls)
    return { label: "failing", tone: "warn", detail: `${failures} of the last ${calls} requests to ${model} failed.` };
  return HEALTHY;
}

const HEALTHY: HealthStatus = { label: "healthy", tone: "good" };

/** Statistics are reset when the settings change. Requests rejected for their credential or content do not count. */
const NO_DATA: HealthStatus = {
  label: "no data",
  tone: "plain",
  detail: "No successful or failed request since startup or the last settings change.",
};

/** The status of a failing identity; undefined if it does not fail. */
function identityStatus(identity: UpstreamHealth["identity"]): HealthStatus | undefined {
  if (!identity || identity.failure === null) return undefined;
  if (lacksCredentials(identity)) return { label: "no credentials", tone: "bad", detail: `Its identity failed: ${identity.failure}` };
  return { label: "not refreshed", tone: "warn", detail: `The credentials of its identity cannot be refreshed: ${identity.failure}` };
}

/** The health of an upstream as a whole: the worst of its identity, models and credentials. */
export function upstreamStatus({ identity, credentials, models, in_flight: inFlight }: UpstreamHealth): HealthStatus {
  const failing = identityStatus(identity);
  if (failing?.tone === "bad") return failing;
  const cooling = credentials.filter((credential) => credential.cooldown_ms > 0);
  const out = models.filter(({ state }) => state === "ejected");
  if (out.length > 0) return { label: "ejected", tone: "bad", detail: `Ejected: ${out.map(({ model }) => model).join(", ")}.` };
  if (cooling.length > 0) {
    const isAll = credentials.every(({ reason }) => reason === "credential");
    const without = models.filter(({ model }) => lacksCredential(model, credentials)).map(({ model }) => model);
    const some = without.length > 0 ? `No usable credential for ${without.join(", ")}.` : undefined;
    const detail = isAll
      ? "All credentials are cooling down."
      : (some ?? `${cooling.length} of ${credentials.length} credentials are cooling down.`);
    return { label: "cooling down", tone: isAll || (without.length > 0 && without.length === models.length) ? "bad" : "warn", detail };
  }
  const statuses = models.map(modelStatus);
  const [warning, best] = (["warn", "good"] as const).map((tone) => statuses.find((status) => status.tone === tone));
  const worst = failing ?? warning;
  if (worst) return worst;
  if (best || inFlight > 0) return HEALTHY;
  return statuses.find((status) => status !== NO_DATA) ?? NO_DATA;
}

/** The status of a route: its weight and price cap first, then the health of its upstream model and credentials. */
export function routeStatus({ model, excluded: exclusion }: Pick<Route, "model" | "excluded">, health: UpstreamHealth): HealthStatus {
  if (exclusion === "drained") return { label: "drained", tone: "plain", detail: "Weight 0: receives no requests." };
  if (exclusion === "over_price_cap")
    return { label: "over price cap", tone: "warn", detail: "The provider's price exceeds the price cap of the route." };
  if (exclusion === "price_unknown")
    return { label: "price unknown", tone: "warn", detail: "No published price to compare with the price cap." };
  const failing = identityStatus(health.identity);
  if (failing?.tone === "bad") return failing;
  const known = health.models.find((each) => each.model === model);
  const status = known ? modelStatus(known) : NO_DATA;
  if (status.tone === "bad") return status;
  const isCooling = lacksCredential(model, health.credentials);
  return isCooling
    ? { label: "cooling down", tone: "bad", detail: "All credentials of the upstream are cooling down for this model." }
    : status;
}

/** The time to first byte of the fastest model. */
export function latencyOf({ models }: UpstreamHealth): number | undefined {
  const known = models.flatMap(({ latency_ms: ms }) => (ms === null ? [] : [ms]));
  return known.length === 0 ? undefined : Math.min(...known);
}

/** A latency in whole milliseconds. */
export function latency(ms: number): string {
  return ms < 1 ? "<1 ms" : duration(ms);
}
