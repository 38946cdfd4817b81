import { ChevronDown, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { clock, duration, exactMoney, inCount, moment, requestMoney } from "../../parts/format/format.ts";
import type { ConversationRow } from "./conversations.ts";

interface ConversationHeadProps {
  readonly row: ConversationRow;
  readonly onToggle: (key: string) => void;
}

/** The row of a collapsed conversation: the number, cost and span of its requests. */
export function ConversationHead({ row, onToggle }: ConversationHeadProps): ReactNode {
  const { key, conversation, requests, failed, cost, startedAt, endedAt, isOpen } = row;
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => onToggle(key)}
      className="flex w-full items-center gap-3 text-left after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
    >
      <span className="flex min-w-0 items-center gap-1">
        <Icon size={14} aria-hidden className="shrink-0" />
        <span className="truncate font-medium" title={conversation}>
          {conversation}
        </span>
      </span>
      <span className="shrink-0 text-ink-2">{inCount(requests, "request")}</span>
      {failed > 0 && <Badge tone="warn">{failed} not successful</Badge>}
      <span className="figures ml-auto shrink-0 text-ink-3 max-sm:hidden" title={`${moment(startedAt)} – ${moment(endedAt)}`}>
        {clock(startedAt)} – {clock(endedAt)} ({duration(Date.parse(endedAt) - Date.parse(startedAt))})
      </span>
      <span className="figures shrink-0 max-sm:ml-auto" title={exactMoney(cost)}>
        {requestMoney(cost)}
      </span>
    </button>
  );
}
