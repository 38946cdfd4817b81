import type { ReactNode } from "react";
import type { Webhook } from "../../../../platform-client/types.ts";
import { Badge } from "../../parts/badge.tsx";

export function WebhookBadge({ of: { paused, paused_because } }: { readonly of: Webhook }): ReactNode {
  if (!paused) return <Badge tone="good">active</Badge>;
  return (
    <Badge tone="warn" {...(paused_because !== null && { title: `Paused: ${paused_because}` })}>
      paused
    </Badge>
  );
}
