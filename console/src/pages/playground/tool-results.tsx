import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { TextArea } from "../../parts/field.tsx";
import type { ToolCall } from "./conversation.ts";

interface ToolResultsProps {
  readonly calls: readonly ToolCall[];
  /** The answer is whole: the calls will not change any more. */
  readonly canAnswer: boolean;
  readonly onResults: (results: readonly string[]) => void;
}

/** The tools that the model wants to have called. Nothing calls them: whoever looks types what they give. */
export function ToolResults({ calls, canAnswer, onResults }: ToolResultsProps): ReactNode {
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({});
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onResults(calls.map((_, at) => typed[at] ?? ""));
      }}
    >
      {calls.map(({ name, arguments: given }, at) => (
        // Calls are only ever added at the end.
        <div key={at} className="flex flex-col gap-2">
          <p className="font-medium break-words">Calls {name}</p>
          <Code text={indented(given)} label={`the arguments of ${name}`} />
          {canAnswer && (
            <TextArea
              label={`Result of ${name}`}
              rows={2}
              grows
              isCode
              value={typed[at] ?? ""}
              onChange={({ target }) => setTyped({ ...typed, [at]: target.value })}
            />
          )}
        </div>
      ))}
      {canAnswer && (
        <div>
          <Button type="submit" weight="primary" small>
            Send {calls.length === 1 ? "the result" : "the results"}
          </Button>
        </div>
      )}
    </form>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
