import type { ConcurrencyOrNull, Upstream } from "../../../../platform-client/types.ts";
import { formatDetails } from "../../format/format-details.ts";
import { formatNumber, managedBy } from "../../format/format-values.ts";

export function describeUpstream(upstream: Upstream): string {
  const { preset, timeouts, concurrency, unknown_parameters: unknown } = upstream;
  return formatDetails([
    ["Upstream", `${upstream.id} (${preset === null ? "" : `preset ${preset}, `}API format ${upstream.dialect})`],
    ["Base URL", describeBaseUrl(upstream)],
    ["Credential", describeCredentials(upstream)],
    ["Managed by", managedBy(upstream.managed_by)],
    ["Models", upstream.models.toSorted().join(", ") || "none"],
    ...(timeouts === null ? [] : [["Timeouts", describeTimeouts(timeouts)]]),
    ...(concurrency === null ? [] : [["Concurrency", describeConcurrency(concurrency)]]),
    ...(unknown === null ? [] : [["Unknown parameters", unknown]]),
  ]);
}

export function describeTimeouts(timeouts: Readonly<Record<string, number>>): string {
  return Object.entries(timeouts)
    .map(([name, ms]) => `${TIMEOUTS[name] ?? name} ${formatNumber(ms)} ms`)
    .join(", ");
}

function describeConcurrency({ max_calls: calls, max_queued: queued, max_wait_ms: ms }: NonNullable<ConcurrencyOrNull>): string {
  const [most, more, wait] = [calls, queued, ms].map(formatNumber);
  return `${most} calls, ${more} queued for up to ${wait} ms`;
}

const TIMEOUTS: Readonly<Record<string, string>> = {
  connect_ms: "connect",
  first_byte_ms: "first byte",
  between_chunks_ms: "between chunks",
  total_ms: "total",
};

function describeBaseUrl({ base_url: baseUrl, allow_private: isPrivate }: Upstream): string {
  if (baseUrl === null) return "built in";
  return isPrivate ? `${baseUrl} (private networks allowed)` : baseUrl;
}

/** Only the last four characters are ever shown. */
export function describeCredentials({ credentials }: Upstream): string {
  return credentials.map(({ last4 }) => (last4 === null ? "set" : `…${last4}`)).join(", ") || "none";
}
