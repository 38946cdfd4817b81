import { useState, type ReactNode } from "react";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { classes } from "../../../parts/classes.ts";
import { inCount } from "../../../parts/format/format.ts";
import type { ChatMessage } from "./chat.ts";
import { PartView } from "./part-view.tsx";

/** The most messages at first. The last ones lead to the response. */
const SHOWN = 50;

export function MessageList({ label, messages }: { readonly label: string; readonly messages: readonly ChatMessage[] }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, messages.length - SHOWN);
  return (
    <div className="flex flex-col gap-2">
      {hidden > 0 && (
        <Button small className="self-start" onClick={() => setWhole(true)}>
          Show {inCount(hidden, "earlier message")}
        </Button>
      )}
      <ol aria-label={label} className="flex flex-col gap-2">
        {messages.slice(hidden).map((message, at) => (
          <Message key={hidden + at} message={message} />
        ))}
      </ol>
    </div>
  );
}

function Message({ message: { title, parts, finishReason } }: { readonly message: ChatMessage }): ReactNode {
  return (
    <li className={classes("min-w-0 rounded-md border border-line px-3 py-2", title.startsWith("assistant") ? "bg-selected" : "bg-sunken")}>
      <p className="mb-1 flex flex-wrap items-center justify-between gap-x-4 text-sm font-medium">
        <span className="min-w-0 wrap-anywhere first-letter:uppercase">{title}</span>
        {finishReason !== undefined && <Badge title="Finish reason">{finishReason}</Badge>}
      </p>
      <div className="flex min-w-0 flex-col gap-2">
        {parts.length === 0 ? (
          <p className="text-ink-3">Empty</p>
        ) : (
          // The parts of a logged message never change.
          parts.map((part, at) => <PartView key={at} part={part} />)
        )}
      </div>
    </li>
  );
}
