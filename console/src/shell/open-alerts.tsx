import type { ReactNode } from "react";
import { useApiQuery } from "../platform/use-api.ts";

const EVERY_MS = 30_000;

/** The number of open alerts, beside the link to them. */
export function OpenAlerts(): ReactNode {
  const alerts = useApiQuery("listAlerts", { query: { state: "open", limit: 1 } }, { every: EVERY_MS });
  const open = alerts.data?.open ?? 0;
  if (open === 0) return null;
  return (
    <span className="figures ml-auto rounded-sm bg-bad-fill px-1.5 text-xs font-medium text-bad">
      {open > 99 ? "99+" : open}
      <span className="sr-only"> open</span>
    </span>
  );
}
