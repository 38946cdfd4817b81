import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import type { Standing } from "./health-status.ts";

export function StandingBadge({ standing: { word, tone, more } }: { readonly standing: Standing }): ReactNode {
  return (
    <Badge tone={tone} {...(more !== undefined && { title: more })}>
      {word}
    </Badge>
  );
}
