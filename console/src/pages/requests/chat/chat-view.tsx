import { useMemo, type ReactNode, useState } from "react";
import type { RequestBodies } from "../../../../../platform-client/types.ts";
import { Code } from "../../../parts/code.tsx";
import { Fold } from "../../../parts/fold.tsx";
import { inCount } from "../../../parts/format/format.ts";
import { toJson } from "../panel/format-json.ts";
import { listOf, type Fields } from "../../../platform/json.ts";
import type { ChatMessage } from "./chat.ts";
import { readReply, readRequest } from "./read-chat.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { classes } from "../../../parts/classes.ts";
import { PartView } from "./part-view.tsx";

interface ChatViewProps {
  readonly bodies: RequestBodies;
  readonly isStream: boolean;
}

/** A logged prompt and its response as a conversation. */
export function ChatView({ bodies: { request, reply }, isStream }: ChatViewProps): ReactNode {
  const chat = useMemo(() => (request === null ? undefined : readRequest(request)), [request]);
  const answers = useMemo(() => (reply === null ? undefined : readReply(reply, isStream)), [reply, isStream]);
  return (
    <div className="flex flex-col gap-3">
      <div>
        <h4 className="mb-1 text-sm font-medium">Prompt</h4>
        {chat ? <MessageList label="Prompt" messages={chat.messages} /> : <Missing text={request} />}
        {chat && <Parameters parameters={chat.parameters} />}
      </div>
      <div>
        <h4 className="mb-1 text-sm font-medium">Response</h4>
        {answers ? <MessageList label="Response" messages={answers} /> : <Missing text={reply} />}
      </div>
    </div>
  );
}

function Missing({ text }: { readonly text: string | null }): ReactNode {
  return <p className="text-ink-3">{text === null ? "Not stored." : "Not a chat. See JSON."}</p>;
}

function Parameters({ parameters }: { readonly parameters: Fields }): ReactNode {
  const { tools, ...others } = parameters;
  const offered = listOf(tools);
  return (
    <div className="mt-1">
      <Fold title="Parameters" note={Object.keys(others).join(", ")}>
        <Code label="parameters" text={toJson(others)} />
      </Fold>
      {offered.length > 0 && (
        <Fold title={`${inCount(offered.length, "tool")} offered`}>
          <Code label="tools" text={toJson(offered)} />
        </Fold>
      )}
    </div>
  );
}

/** The initial maximum of messages. The last messages are shown, because they lead to the response. */
const SHOWN = 50;

function MessageList({ label, messages }: { readonly label: string; readonly messages: readonly ChatMessage[] }): ReactNode {
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
