import type { ReactNode } from "react";
import type { UpstreamHealth } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { count } from "../../parts/format/format.ts";
import { latency, latencyOf, upstreamStatus } from "./health-status.ts";
import { HealthBadge } from "./health-badge.tsx";

const REFRESH_MS = 10_000;

function useHealth(id: string): { readonly health: UpstreamHealth | undefined; readonly isUnknown: boolean } {
  const { data, error } = useApiQuery("showUpstreamHealth", { path: { id } }, { every: REFRESH_MS });
  return { health: data, isUnknown: error !== null };
}

export function HealthCell({ id }: { readonly id: string }): ReactNode {
  const { health, isUnknown } = useHealth(id);
  if (health) return <HealthBadge status={upstreamStatus(health)} />;
  return <span className="text-ink-3">{isUnknown ? "unknown" : "…"}</span>;
}

export function InFlightCell({ id }: { readonly id: string }): ReactNode {
  const { health } = useHealth(id);
  if (!health) return "–";
  return health.queued > 0 ? `${count(health.in_flight)} + ${count(health.queued)} queued` : count(health.in_flight);
}

export function LatencyCell({ id }: { readonly id: string }): ReactNode {
  const { health } = useHealth(id);
  const ms = health && latencyOf(health);
  return ms === undefined ? "–" : latency(ms);
}
