import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../../parts/button.tsx";
import { Code } from "../../../parts/code.tsx";
import { TextArea } from "../../../parts/inputs/field.tsx";
import { labelsOf, type ToolCall, type Turn } from "../conversation.ts";
import { ImageList } from "./image-list.tsx";

const ROLES: Record<Exclude<Turn["role"], "tool">, string> = { user: "User", assistant: "Assistant", other: "Message" };

const REMOVE_LABELS: Record<Turn["role"], string> = {
  user: "Remove user message",
  assistant: "Remove assistant message",
  tool: "Remove tool result",
  other: "Remove message",
};

interface TurnListProps {
  readonly turns: readonly Turn[];
  readonly onChange: (turns: readonly Turn[]) => void;
}

/** The messages so far. All are editable, and the next request sends them as shown. */
export function TurnList({ turns, onChange }: TurnListProps): ReactNode {
  return (
    <ol aria-label="Conversation" className="flex flex-col gap-3 empty:hidden">
      {turns.map((turn) => (
        <li key={turn.id} className="card relative px-4 py-3">
          <TurnEditor
            turn={turn}
            label={labelOf(turn, turns)}
            onChange={(changed) => onChange(turns.map((each) => (each === turn ? changed : each)))}
          />
          <IconButton
            small
            label={REMOVE_LABELS[turn.role]}
            className="absolute top-1.5 right-1.5"
            onClick={() => onChange(turns.filter((each) => each !== turn))}
          >
            <X size={14} aria-hidden />
          </IconButton>
        </li>
      ))}
    </ol>
  );
}

/** A tool result is labelled with the name of its tool, or with the ID of the call if the call is missing. */
function labelOf(turn: Turn, turns: readonly Turn[]): string {
  if (turn.role !== "tool") return ROLES[turn.role];
  const calls = turns.findLast((each) => each.role === "assistant" && each.toolCalls.some(({ id }) => id === turn.callId));
  const toolCalls = calls?.role === "assistant" ? calls.toolCalls : [];
  return `Result of ${labelsOf(toolCalls)[toolCalls.findIndex(({ id }) => id === turn.callId)] ?? turn.callId}`;
}

interface TurnEditorProps {
  readonly turn: Turn;
  readonly label: string;
  readonly onChange: (turn: Turn) => void;
}

function TurnEditor({ turn, label, onChange }: TurnEditorProps): ReactNode {
  if (turn.role === "other") return <OtherMessage message={turn.message} />;
  return (
    <div className="flex flex-col gap-2">
      {!(turn.role === "assistant" && turn.text === "" && turn.toolCalls.length > 0) && (
        <TextArea label={label} grows rows={1} value={turn.text} onChange={({ target }) => onChange({ ...turn, text: target.value })} />
      )}
      {turn.role === "user" && (
        <ImageList images={turn.images} onRemove={(image) => onChange({ ...turn, images: turn.images.filter((each) => each !== image) })} />
      )}
      {turn.role === "assistant" && <ToolCalls calls={turn.toolCalls} />}
    </div>
  );
}

function ToolCalls({ calls }: { readonly calls: readonly ToolCall[] }): ReactNode {
  const labels = labelsOf(calls);
  return calls.map(({ id, arguments: given }, at) => (
    <div key={id} className="flex flex-col gap-1 pr-8">
      <p className="text-sm font-medium break-words">Tool call: {labels[at]}</p>
      <Code text={given} label={`arguments of ${labels[at]}`} />
    </div>
  ));
}

function OtherMessage({ message }: { readonly message: Readonly<Record<string, unknown>> }): ReactNode {
  return (
    <div className="flex flex-col gap-1 pr-8">
      <p className="text-sm font-medium">Message sent unchanged</p>
      <Code text={JSON.stringify(message, null, 2)} label="message" />
    </div>
  );
}
