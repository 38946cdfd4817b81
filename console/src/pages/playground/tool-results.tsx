import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { TextArea } from "../../parts/field.tsx";
import type { ToolCall } from "./conversation.ts";

interface ToolResultsProps {
  readonly calls: readonly ToolCall[];
  /** The response is complete: the calls do not change any more. */
  readonly canSubmit: boolean;
  readonly isComparison: boolean;
  readonly onResults: (results: readonly string[]) => void;
}

/** The tool calls of a response. The console does not run tools: the user enters their results. */
export function ToolResults({ calls, canSubmit, isComparison, onResults }: ToolResultsProps): ReactNode {
  const [results, setResults] = useState<Readonly<Record<number, string>>>({});
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onResults(calls.map((_, at) => results[at] ?? ""));
      }}
    >
      {calls.map(({ name, arguments: given }, at) => (
        // Calls are only appended.
        <div key={at} className="flex flex-col gap-2">
          <p className="font-medium break-words">Tool call: {name}</p>
          <Code text={indented(given)} label={`arguments of ${name}`} />
          {canSubmit && (
            <TextArea
              label={`Result of ${name}`}
              rows={2}
              grows
              isCode
              value={results[at] ?? ""}
              onChange={({ target }) => setResults({ ...results, [at]: target.value })}
            />
          )}
        </div>
      ))}
      {canSubmit && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Button type="submit" weight="primary" small>
            Send {calls.length === 1 ? "result" : "results"}
          </Button>
          {isComparison && <p className="text-sm text-ink-3">All models continue with this response.</p>}
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
