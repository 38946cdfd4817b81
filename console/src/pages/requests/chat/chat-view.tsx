import { useMemo, type ReactNode } from "react";
import type { RequestBodies } from "../../../../../platform-client/types.ts";
import { Code } from "../../../parts/code.tsx";
import { Fold } from "../../../parts/fold.tsx";
import { inCount } from "../../../parts/format/format.ts";
import { toJson } from "../panel/format-json.ts";
import { listOf, type Fields } from "./chat.ts";
import { MessageList } from "./message-list.tsx";
import { readReply, readRequest } from "./read-chat.ts";

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
