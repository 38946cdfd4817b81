import type { ReactNode } from "react";
import { Badge } from "./badge.tsx";
import { Notice } from "./notice.tsx";

type ManagedBy = "operator" | "file" | "environment" | "wildcard";

const LABELS: Record<ManagedBy, string> = {
  operator: "operators",
  file: "config file",
  environment: "environment",
  wildcard: "wildcard model",
};

/** The source that manages a resource. */
export function ManagedBadge({ by }: { readonly by: ManagedBy | undefined }): ReactNode {
  return by === undefined ? null : <Badge>{LABELS[by]}</Badge>;
}

/** Explains where a read-only resource is changed. Renders nothing for resources that operators manage. */
export function ManagedNotice({
  by,
  kind,
}: {
  readonly by: ManagedBy | undefined;
  readonly kind: "model" | "upstream" | "account" | "price list";
}): ReactNode {
  if (by === undefined || by === "operator") return null;
  if (by === "file") {
    return (
      <Notice>
        This {kind} is declared in the config file and can be changed only there. Changes to the file are reloaded automatically.
      </Notice>
    );
  }
  if (by === "wildcard") {
    return (
      <Notice>
        A wildcard model stands for this {kind}. Change that one, or create a {kind} with this ID to replace it.
      </Notice>
    );
  }
  return (
    <Notice>
      This {kind} comes from Tollgate's environment variables.{" "}
      {kind === "model" ? "Create a model with this ID to replace it." : `Change it there, or create another ${kind}.`}
    </Notice>
  );
}
