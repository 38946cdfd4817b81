import { useState, type ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { FieldList, ParameterList } from "./field-list.tsx";
import { parseInline } from "./markdown.ts";
import type { OpenApi, PlacedOperation, ReplyDescription, Schema } from "./openapi.ts";

interface OperationDocsProps {
  readonly operation: PlacedOperation;
  readonly document: OpenApi;
  readonly isOpen: boolean;
}

/** One operation, collapsed to its name. Details are rendered on first open, because there are many operations. */
export function OperationDocs({ operation, document, isOpen }: OperationDocsProps): ReactNode {
  const [isRendered, setRendered] = useState(isOpen);
  const { method, path, summary } = operation;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => currentTarget.open && setRendered(true)} className="card group min-w-0">
      <summary className="flex list-none flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-4 py-3 group-open:rounded-b-none hover:bg-hover">
        <Badge tone={method === "GET" ? "good" : "warn"}>{method}</Badge>
        <h2 className="font-mono font-medium break-all">{path}</h2>
        <span className="text-ink-2">{summary}</span>
      </summary>
      {isRendered && <Inside operation={operation} document={document} />}
    </details>
  );
}

function Inside({ operation, document }: Omit<OperationDocsProps, "isOpen">): ReactNode {
  const { description, parameters = [], requestBody, responses } = operation;
  return (
    <div className="flex flex-col gap-5 border-t border-line px-4 py-4">
      {description && <p className="text-ink-2">{plain(description)}</p>}
      {(["path", "query", "header"] as const).map((place) => (
        <ParameterList
          key={place}
          place={place}
          parameters={parameters.filter((parameter) => parameter.in === place)}
          document={document}
        />
      ))}
      {schemasIn(requestBody?.content).map(([type, schema]) => (
        <Part key={type} title={`Body, ${type}`}>
          <FieldList schema={schema} document={document} />
        </Part>
      ))}
      {Object.entries(responses).map(([status, reply]) => (
        <Reply key={status} status={status} reply={reply} document={document} />
      ))}
    </div>
  );
}

function Reply({
  status,
  reply,
  document,
}: {
  readonly status: string;
  readonly reply: ReplyDescription;
  readonly document: OpenApi;
}): ReactNode {
  const headers = Object.entries(reply.headers ?? {}).map(([name, header]) => ({ ...header, name, in: "header" as const }));
  return (
    <details className="min-w-0">
      <summary className="text-sm">
        <span className="figures font-medium">{status}</span> <span className="text-ink-2">{plain(reply.description)}</span>
      </summary>
      <div className="mt-3 flex flex-col gap-4 border-l-2 border-line pl-4">
        <ParameterList place="header" parameters={headers} document={document} />
        {schemasIn(reply.content).map(([type, schema]) => (
          <Part key={type} title={type}>
            <FieldList schema={schema} document={document} />
          </Part>
        ))}
      </div>
    </details>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section>
      <h3 className="mb-1.5 text-sm font-medium text-ink-3">{title}</h3>
      {children}
    </section>
  );
}

function schemasIn(content: Readonly<Record<string, { readonly schema: Schema }>> = {}): (readonly [string, Schema])[] {
  return Object.entries(content).map(([type, { schema }]) => [type, schema] as const);
}

/** Strips Markdown. */
function plain(text: string): string {
  return parseInline(text)
    .map((inline) => inline.text)
    .join("");
}
