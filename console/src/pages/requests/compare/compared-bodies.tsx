import { Eye } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import type { LoggedRequestInFull, RequestBodies } from "../../../../../platform-client/types.ts";
import { Button } from "../../../parts/button.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { Section } from "../../../parts/page.tsx";
import { useBodies } from "../panel/bodies-section.tsx";
import { DiffView } from "./diff-view.tsx";
import type { ChatMessage, Part } from "../chat/chat.ts";
import { formatJson, toJson } from "../panel/format-json.ts";
import { readReply, readRequest } from "../chat/read-chat.ts";

interface ComparedProps {
  readonly left: LoggedRequestInFull;
  readonly right: LoggedRequestInFull;
}

/** The prompts and responses of two requests, if both are stored. They are loaded on a click, because the audit log records each read. */
export function ComparedBodies({ left, right }: ComparedProps): ReactNode {
  const [ofLeft, ofRight] = [useBodies(left.request_id), useBodies(right.request_id)];
  if (ofLeft.data && ofRight.data) {
    return <Differences left={{ ...ofLeft.data, stream: left.stream }} right={{ ...ofRight.data, stream: right.stream }} />;
  }
  const error = ofLeft.error ?? ofRight.error;
  return (
    <Section title="Prompt and response">
      {left.bodies && right.bodies ? (
        <div className="flex flex-col items-start gap-2">
          <p className="text-ink-2">Viewing prompts and responses is recorded in the audit log.</p>
          {error && <Notice tone="bad">{error.message}</Notice>}
          <Button
            busy={ofLeft.isPending || ofRight.isPending}
            onClick={() => {
              for (const bodies of [ofLeft, ofRight]) if (!bodies.data) bodies.mutate();
            }}
          >
            <Eye size={14} aria-hidden />
            Compare prompts and responses
          </Button>
        </div>
      ) : (
        <p className="text-ink-2">Not stored for both requests, or you have no access to them.</p>
      )}
    </Section>
  );
}

type StoredBodies = RequestBodies & { readonly stream: boolean };

function Differences({ left, right }: { readonly left: StoredBodies; readonly right: StoredBodies }): ReactNode {
  const [a, b] = [useLines(left), useLines(right)];
  return (
    <>
      {(left.truncated || right.truncated) && <Notice>The stored text is truncated, because it was too long.</Notice>}
      <Section title="Parameters">
        <DiffView label="Parameters" left={a.parameters} right={b.parameters} />
      </Section>
      <Section title="Messages">
        <DiffView label="Messages" left={a.messages} right={b.messages} />
      </Section>
      <Section title="Response">
        <DiffView label="Response" left={a.reply} right={b.reply} />
      </Section>
    </>
  );
}

interface Lines extends RequestLines {
  readonly reply: readonly string[];
}

function useLines({ request, reply, stream }: StoredBodies): Lines {
  return useMemo(() => ({ ...requestLines(request), reply: replyLines(reply, stream) }), [request, reply, stream]);
}

/** Messages as lines of text, so that two conversations can be compared. */
function messageLines(messages: readonly ChatMessage[]): readonly string[] {
  return messages.flatMap(({ title, parts, finishReason }) => [
    `[${title}]`,
    ...parts.flatMap((part) => partText(part).split("\n")),
    ...(finishReason === undefined ? [] : [`Finish reason: ${finishReason}`]),
  ]);
}

function partText(part: Part): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "reasoning":
      return `Reasoning: ${part.text}`;
    case "refusal":
      return `Refusal: ${part.text}`;
    case "image":
      return `Image ${part.url}`;
    case "attachment":
      return part.name;
    case "tool_call":
      // Without the call's ID, which differs in each response.
      return `Tool call: ${part.name}\n${formatJson(part.arguments)}`;
    case "other":
      return part.json;
  }
}

interface RequestLines {
  readonly messages: readonly string[];
  readonly parameters: readonly string[];
}

/** The lines of a stored request: its messages, and its other fields in a fixed order. */
function requestLines(text: string | null): RequestLines {
  if (text === null) return { messages: ["Not stored."], parameters: ["Not stored."] };
  const chat = readRequest(text);
  if (!chat) return { messages: text.split("\n"), parameters: [] };
  const parameters = Object.entries(chat.parameters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    messages: messageLines(chat.messages),
    parameters: parameters.flatMap(([name, value]) => `${name}: ${toJson(value)}`.split("\n")),
  };
}

function replyLines(text: string | null, isStream: boolean): readonly string[] {
  if (text === null) return ["Not stored."];
  const messages = readReply(text, isStream);
  return messages ? messageLines(messages) : formatJson(text).split("\n");
}
