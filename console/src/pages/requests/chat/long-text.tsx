import { useState, type ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { count } from "../../../parts/format/format.ts";

const SHOWN_CHARS = 4000;

/** Text as it is, never as HTML. Long text is cut until it is asked for. */
export function LongText({ text }: { readonly text: string }): ReactNode {
  const [isWhole, setWhole] = useState(text.length <= SHOWN_CHARS * 1.25);
  return (
    <div className="flex flex-col items-start gap-1">
      <p dir="auto" className="max-w-full whitespace-pre-wrap wrap-anywhere">
        {isWhole ? text : `${text.slice(0, SHOWN_CHARS)}…`}
      </p>
      {!isWhole && (
        <Button small onClick={() => setWhole(true)}>
          Show all {count(text.length)} characters
        </Button>
      )}
    </div>
  );
}
