import { useState, type ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { Code } from "../../../parts/code.tsx";
import { TextArea } from "../../../parts/inputs/field.tsx";
import { labelsOf, type ToolCall } from "../conversation.ts";
import { checkText } from "../json-schema/check-schema.ts";
import { SchemaNotice } from "../response/schema-notice.tsx";

interface ToolResultsProps {
  readonly calls: readonly ToolCall[];
  /** The tool definitions of the request. */
  readonly tools: unknown;
  /** Whether the calls are complete. */
  readonly isComplete: boolean;
  /** All responses have ended. */
  readonly canSubmit: boolean;
  readonly isComparison: boolean;
  readonly onResults: (results: readonly string[]) => void;
}

/** The tool calls of a response. The console does not run tools: the user enters their results. */
export function ToolResults({ calls, tools, isComplete, canSubmit, isComparison, onResults }: ToolResultsProps): ReactNode {
  const [results, setResults] = useState<Readonly<Record<number, string>>>({});
  const labels = labelsOf(calls);
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
          <p className="font-medium break-words">Tool call: {labels[at]}</p>
          <Code text={indented(given)} label={`arguments of ${labels[at]}`} />
          {isComplete && <ArgumentsCheck schema={parametersOf(name, tools)} text={given} />}
          {canSubmit && (
            <TextArea
              label={`Result of ${labels[at]}`}
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

/** The JSON Schema of the arguments of a tool. */
function parametersOf(name: string, tools: unknown): unknown {
  const defined = (Array.isArray(tools) ? tools : []) as { function?: { name?: unknown; parameters?: unknown } }[];
  return defined.find((tool) => tool.function?.name === name)?.function?.parameters;
}

/** Only problems are shown, because valid arguments are the usual case. */
function ArgumentsCheck({ schema, text }: { readonly schema: unknown; readonly text: string }): ReactNode {
  if (schema === undefined || checkText(schema, text).problems.length === 0) return null;
  return <SchemaNotice noun="The arguments" isPlural schema={schema} text={text} />;
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
