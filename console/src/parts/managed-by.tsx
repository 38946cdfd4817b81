import type { ReactNode } from "react";
import { Badge } from "./badge.tsx";
import { Notice } from "./notice.tsx";

export type ManagedBy = "operator" | "file" | "environment";

const WORDS: Record<ManagedBy, string> = { operator: "operators", file: "config file", environment: "environment" };

/** Who decides about something. */
export function ManagedBadge({ by }: { readonly by: ManagedBy | undefined }): ReactNode {
  return by === undefined ? null : <Badge>{WORDS[by]}</Badge>;
}

/** Says why something cannot be changed here, and where it can. Nothing where operators decide. */
export function ManagedNotice({
  by,
  kind,
}: {
  readonly by: ManagedBy | undefined;
  readonly kind: "model" | "upstream" | "account";
}): ReactNode {
  if (by === undefined || by === "operator") return null;
  if (by === "file") {
    return (
      <Notice>This {kind} is declared in the config file and can be changed only there. A changed file is read again by itself.</Notice>
    );
  }
  return (
    <Notice>
      This {kind} was found in the environment that Tollgate was started with.{" "}
      {kind === "model"
        ? "Create a model of your own with this name, and that takes its place."
        : `Change it there, or make ${kind === "upstream" ? "an upstream" : "one"} of your own.`}
    </Notice>
  );
}
