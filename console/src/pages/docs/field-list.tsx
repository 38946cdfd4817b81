import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { Mono } from "../../parts/code.tsx";
import { parseInline } from "./markdown.ts";
import { boundsOf, fieldsOf, resolve, typeOf, type OpenApi, type Parameter, type Schema } from "./openapi.ts";

/** Limits nesting: a schema may contain itself. */
const MAX_DEPTH = 6;

interface FieldListProps {
  readonly schema: Schema;
  readonly document: OpenApi;
  readonly depth?: number;
}

/** The fields of a value, with nested fields collapsed. */
export function FieldList({ schema, document, depth = 0 }: FieldListProps): ReactNode {
  const fields = fieldsOf(schema, document);
  if (fields.length === 0) return <p className="text-ink-3">{typeOf(schema, document)}</p>;
  return (
    <ul className="flex flex-col divide-y divide-line">
      {fields.map(([name, field, isRequired], at) => (
        <li key={`${name} ${String(at)}`} className="py-1.5 first:pt-0 last:pb-0">
          <FieldHead name={name} schema={field} isRequired={isRequired} document={document} />
          {depth < MAX_DEPTH && fieldsOf(field, document).length > 0 && (
            <details className="mt-1">
              <summary className="text-sm text-accent">
                Fields of <Mono>{name}</Mono>
              </summary>
              <div className="mt-1.5 border-l-2 border-line pl-4">
                <FieldList schema={field} document={document} depth={depth + 1} />
              </div>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

interface FieldHeadProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly document: OpenApi;
  readonly description?: string | undefined;
}

function FieldHead({ name, schema, isRequired, document, description }: FieldHeadProps): ReactNode {
  const meant = resolve(schema, document);
  const bounds = boundsOf(meant);
  const about = description ?? schema.description ?? meant.description ?? "";
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-mono text-sm font-medium">{name}</span>
        <span className="text-sm break-words text-ink-3">{typeOf(schema, document)}</span>
        {isRequired && <Badge>required</Badge>}
        {bounds && <span className="text-sm text-ink-3">{bounds}</span>}
      </p>
      {about && (
        <p className="text-sm text-ink-2">
          {parseInline(about).map((inline, at) =>
            inline.kind === "code" ? <Mono key={`${at} ${inline.text}`}>{inline.text}</Mono> : inline.text,
          )}
        </p>
      )}
    </>
  );
}

const TITLES = { path: "Path parameters", query: "Query parameters", header: "Headers" } as const;

interface ParameterListProps {
  readonly place: Parameter["in"];
  readonly parameters: readonly Parameter[];
  readonly document: OpenApi;
}

export function ParameterList({ place, parameters, document }: ParameterListProps): ReactNode {
  if (parameters.length === 0) return null;
  return (
    <section>
      <h3 className="mb-1.5 text-sm font-medium text-ink-3">{TITLES[place]}</h3>
      <ul className="flex flex-col divide-y divide-line">
        {parameters.map(({ name, schema = {}, required = false, description }) => (
          <li key={name} className="py-1.5 first:pt-0 last:pb-0">
            <FieldHead name={name} schema={schema} isRequired={required} document={document} description={description} />
          </li>
        ))}
      </ul>
    </section>
  );
}
