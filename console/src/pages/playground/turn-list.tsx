import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { TextArea } from "../../parts/field.tsx";
import type { ToolCall, Turn } from "./conversation.ts";
import { PictureList } from "./image-list.tsx";

const ROLES: Record<Turn["role"], string> = { user: "User", assistant: "Assistant", tool: "Tool result", other: "Message" };

interface TurnListProps {
  readonly turns: readonly Turn[];
  readonly onChange: (turns: readonly Turn[]) => void;
}

/** What was said so far. All of it can be changed: the next answer is to what stands here. */
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
            label={`Remove this message of ${ROLES[turn.role].toLowerCase()}`}
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

/** A result is known by the tool that gave it; where the call is not there, by the id of the call. */
function labelOf(turn: Turn, turns: readonly Turn[]): string {
  if (turn.role !== "tool") return ROLES[turn.role];
  const calls = turns.flatMap((each) => (each.role === "assistant" ? each.toolCalls : []));
  return `Result of ${calls.find(({ id }) => id === turn.callId)?.name ?? turn.callId}`;
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
        <PictureList
          pictures={turn.pictures}
          onRemove={(picture) => onChange({ ...turn, pictures: turn.pictures.filter((each) => each !== picture) })}
        />
      )}
      {turn.role === "assistant" && <AskedFor calls={turn.toolCalls} />}
    </div>
  );
}

function AskedFor({ calls }: { readonly calls: readonly ToolCall[] }): ReactNode {
  return calls.map(({ id, name, arguments: given }) => (
    <div key={id} className="flex flex-col gap-1 pr-8">
      <p className="text-sm font-medium break-words">The assistant called {name}</p>
      <Code text={given} label={`the arguments of ${name}`} />
    </div>
  ));
}

function OtherMessage({ message }: { readonly message: Readonly<Record<string, unknown>> }): ReactNode {
  return (
    <div className="flex flex-col gap-1 pr-8">
      <p className="text-sm font-medium">A message that is sent as it is</p>
      <Code text={JSON.stringify(message, null, 2)} label="the message" />
    </div>
  );
}
