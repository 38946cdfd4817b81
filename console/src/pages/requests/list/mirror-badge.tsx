import type { ReactNode } from "react";
import type { LoggedRequest } from "../../../../../platform-client/types.ts";
import { Badge } from "../../../parts/badge.tsx";

type Compared = NonNullable<LoggedRequest["mirror"]>;

/** Whether the request was mirrored, and the mirror returned another status or finish reason. */
export function MirrorBadge({ compared }: { readonly compared: Compared }): ReactNode {
  const [caller, mirror] = [briefly(compared.response), briefly(compared.mirror)];
  if (caller === mirror) return <Badge title={`${compared.upstream} returned the same: ${mirror}`}>mirrored</Badge>;
  return (
    <Badge tone="warn" title={`${compared.upstream} returned ${mirror}, the caller received ${caller}`}>
      mirror differs
    </Badge>
  );
}

function briefly({ status, finish_reason: reason }: Compared["response"]): string {
  return `${status}, ${reason === null ? "no finish reason" : `finish reason ${reason}`}`;
}
