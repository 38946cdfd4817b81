import type { ConcurrencyOrNull, Upstream } from "../../../../platform-client/types.ts";
import { formatDetails } from "../../format-details.ts";
import { managedBy } from "../../format-values.ts";

export function describeUpstream(upstream: Upstream): string {
  const { preset, timeouts, concurrency, unknown_parameters: unknown } = upstream;
  return formatDetails([
    ["Upstream", `${upstream.id} (${preset === null ? "" : `preset ${preset}, `}dialect ${upstream.dialect})`],
    ["Address", describeAddress(upstream)],
    ["Credential", describeCredentials(upstream)],
    ["Managed by", managedBy(upstream.managed_by)],
    ["Serves", upstream.models.toSorted().join(", ") || "no model"],
    ...(timeouts === null ? [] : [["Waits", describeTimeouts(timeouts)]]),
    ...(concurrency === null ? [] : [["At once", describeConcurrency(concurrency as Concurrency)]]),
    ...(unknown === null ? [] : [["Unknown parameters", unknown]]),
  ]);
}

type Concurrency = Required<NonNullable<ConcurrencyOrNull>>;

export function describeTimeouts(timeouts: Readonly<Record<string, number>>): string {
  return Object.entries(timeouts)
    .map(([name, ms]) => `${ms.toLocaleString("en-US")} ms ${WAITS[name] ?? name}`)
    .join(", ");
}

function describeConcurrency({ max_calls: calls, max_queued: queued, max_wait_ms: ms }: Concurrency): string {
  const [most, more, wait] = [calls, queued, ms].map((each) => each.toLocaleString("en-US"));
  return `${most} calls; ${more} more wait for up to ${wait} ms`;
}

const WAITS: Readonly<Record<string, string>> = {
  connect_ms: "to connect",
  first_byte_ms: "for the first byte",
  between_chunks_ms: "between pieces",
  total_ms: "in all",
};

function describeAddress({ base_url: baseUrl, allow_private: isPrivate }: Upstream): string {
  if (baseUrl === null) return "built in";
  return isPrivate ? `${baseUrl}, which may be private` : baseUrl;
}

/** All that is ever shown of them. */
export function describeCredentials({ credentials }: Upstream): string {
  return credentials.map(({ last4 }) => (last4 === null ? "set" : `…${last4}`)).join(", ") || "none";
}
