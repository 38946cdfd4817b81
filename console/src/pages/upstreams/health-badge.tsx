import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import type { HealthStatus } from "./health-status.ts";

export function HealthBadge({ status: { label, tone, detail } }: { readonly status: HealthStatus }): ReactNode {
  return (
    <Badge tone={tone} {...(detail !== undefined && { title: detail })}>
      {label}
    </Badge>
  );
}
