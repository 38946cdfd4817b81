import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import type { Account } from "../../../../platform-client/types.ts";
import { creditStatusOf } from "./credit-status.ts";

/** Renders nothing while there is enough credit. */
export function CreditBadge({ of }: { readonly of: Account }): ReactNode {
  const status = creditStatusOf(of);
  if (status === "enough") return null;
  return status === "out" ? <Badge tone="bad">out of credit</Badge> : <Badge tone="warn">low credit</Badge>;
}
