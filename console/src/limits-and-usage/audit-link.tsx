import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { textLink } from "../parts/text-link.ts";

interface AuditLinkProps {
  readonly kind: "key" | "account" | "model";
  readonly id: string;
}

/** The changes of a resource in the audit log, for operators. */
export function AuditLink({ kind, id }: AuditLinkProps): ReactNode {
  return (
    <Link to="/audit" search={{ kind, id }} className={textLink}>
      Changes to this {kind}
    </Link>
  );
}
