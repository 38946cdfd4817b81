import type { ReactNode } from "react";
import { Notice } from "../../../parts/notice.tsx";
import { checkText } from "../json-schema/check-schema.ts";

const MAX_SHOWN = 20;

interface SchemaNoticeProps {
  readonly schema: unknown;
  readonly text: string;
  /** "The response", or "The arguments". */
  readonly noun: string;
  readonly isPlural?: boolean;
}

/** Whether a text matches its schema, and the path of each problem. */
export function SchemaNotice({ schema, text, noun, isPlural = false }: SchemaNoticeProps): ReactNode {
  const { problems, unchecked } = checkText(schema, text);
  const remark = unchecked.length > 0 && <p>Not checked: {unchecked.join(", ")}.</p>;
  if (problems.length === 0) {
    return (
      <Notice tone="good">
        <p>
          {noun} {isPlural ? "match" : "matches"} the schema.
        </p>
        {remark}
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title={`${noun} ${isPlural ? "do" : "does"} not match the schema`}>
      <ul className="flex flex-col gap-1">
        {problems.slice(0, MAX_SHOWN).map(({ path, message }, at) => (
          <li key={at} className="wrap-anywhere">
            <code className="font-mono text-sm">{path}</code> {message}
          </li>
        ))}
      </ul>
      {problems.length > MAX_SHOWN && <p>{problems.length - MAX_SHOWN} more problems.</p>}
      {remark}
    </Notice>
  );
}
