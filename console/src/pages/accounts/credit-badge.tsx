import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import type { Account } from "../../platform/interface.ts";
import { standingOf } from "./credit-status.ts";

/** Nothing where there is credit enough: what is as it should be needs no mark. */
export function StandingBadge({ of }: { readonly of: Account }): ReactNode {
  const standing = standingOf(of);
  if (standing === "enough") return null;
  return standing === "out" ? <Badge tone="bad">out of credit</Badge> : <Badge tone="warn">low credit</Badge>;
}
