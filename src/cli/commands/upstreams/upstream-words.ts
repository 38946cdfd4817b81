import { formatColumns } from "../../table.ts";
import type { UpstreamView } from "../../views.ts";
import { managedBy } from "../../words.ts";

export function describeUpstream(upstream: UpstreamView): string {
  const { timeouts } = upstream;
  return formatColumns([
    ["Upstream", `${upstream.id} (${upstream.dialect})`],
    ["Address", describeAddress(upstream)],
    ["Credential", describeCredential(upstream)],
    ["Managed by", managedBy(upstream.managed_by)],
    ["Serves", upstream.models.join(", ") || "no model"],
    ...(timeouts === null
      ? []
      : [
          [
            "Waits",
            Object.entries(timeouts)
              .map(([name, ms]) => `${ms.toLocaleString("en-US")} ms ${WAITS[name] ?? name}`)
              .join(", "),
          ],
        ]),
  ]);
}

const WAITS: Readonly<Record<string, string>> = {
  connect_ms: "to connect",
  first_byte_ms: "for the first byte",
  between_chunks_ms: "between pieces",
  total_ms: "in all",
};

function describeAddress({ base_url: baseUrl, allow_private: isPrivate }: UpstreamView): string {
  if (baseUrl === null) return "built in";
  return isPrivate ? `${baseUrl}, which may be private` : baseUrl;
}

/** All that is ever shown of it. */
export function describeCredential({ credential: { set, last4 } }: UpstreamView): string {
  if (!set) return "none";
  return last4 === null ? "set" : `…${last4}`;
}
