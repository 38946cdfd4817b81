import type { ReactNode } from "react";
import type { LoggedRequest } from "../../../../platform-client/types.ts";
import { Badge } from "../../parts/badge.tsx";
import type { Tone } from "../../parts/notice.tsx";
import { OUTCOME_LABELS } from "./format-outcome.ts";

export const OUTCOME_TONES: Record<LoggedRequest["outcome"], Tone> = {
  complete: "good",
  replayed: "good",
  dry_run: "plain",
  refused: "warn",
  failed: "bad",
  client_closed: "plain",
};

export function OutcomeBadge({ request }: { readonly request: LoggedRequest }): ReactNode {
  const { status, outcome, code } = request;
  return (
    <Badge tone={OUTCOME_TONES[outcome]} {...(code !== null && { title: code })}>
      <span className="figures">{status}</span> {OUTCOME_LABELS[outcome]}
    </Badge>
  );
}
