import { useMemo, useState, type ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { classes } from "../../../parts/classes.ts";
import { count, inCount } from "../../../parts/format/format.ts";
import { diffLines, type DiffRow } from "./line-diff.ts";

const MAX_ROWS = 1000;
const MAX_CHARS = 2000;

interface DiffViewProps {
  readonly label: string;
  readonly left: readonly string[];
  readonly right: readonly string[];
}

/** Two texts line by line: side by side, or on a phone one below the other. */
export function DiffView({ label, left, right }: DiffViewProps): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const rows = useMemo(() => diffLines(left, right), [left, right]);
  const shown = useMemo(() => (isWhole ? rows : collapseSame(rows)), [rows, isWhole]);
  const changes = rows.filter(({ kind }) => kind !== "same").length;
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="text-sm text-ink-3">{changes === 0 ? "No differences." : `${inCount(changes, "line")} differ.`}</p>
      <div role="group" aria-label={label} className="w-full overflow-hidden rounded-md border border-line font-mono text-sm">
        {shown.slice(0, MAX_ROWS).map((row, at) =>
          typeof row === "number" ? (
            <p key={at} className="bg-sunken px-3 py-1 text-center font-sans text-ink-3">
              {inCount(row, "unchanged line")}
            </p>
          ) : (
            <Row key={at} row={row} />
          ),
        )}
      </div>
      {shown.length > MAX_ROWS && <p className="text-sm text-ink-3">{count(shown.length - MAX_ROWS)} further lines are not shown.</p>}
      {!isWhole && shown.some((row) => typeof row === "number") && (
        <Button small onClick={() => setWhole(true)}>
          Show unchanged lines
        </Button>
      )}
    </div>
  );
}

function Row({ row: { kind, left, right } }: { readonly row: DiffRow }): ReactNode {
  if (kind === "same") {
    return (
      <div className="grid lg:grid-cols-2">
        <Line text={left} />
        <span aria-hidden className="max-lg:hidden">
          <Line text={right} />
        </span>
      </div>
    );
  }
  return (
    <div className="grid lg:grid-cols-2">
      {left === undefined ? <span className="bg-sunken max-lg:hidden" /> : <Line text={left} is="removed" />}
      {right === undefined ? <span className="bg-sunken max-lg:hidden" /> : <Line text={right} is="added" />}
    </div>
  );
}

function Line({ text = "", is }: { readonly text?: string | undefined; readonly is?: "removed" | "added" }): ReactNode {
  const Tag = is === "removed" ? "del" : is === "added" ? "ins" : "span";
  return (
    <Tag
      className={classes(
        "flex min-h-6 gap-2 px-3 py-0.5 no-underline",
        is === "removed" && "bg-bad-fill text-bad",
        is === "added" && "bg-good-fill text-good",
      )}
    >
      <span className="shrink-0 select-none">{is === "removed" ? "−" : is === "added" ? "+" : " "}</span>
      <span dir="auto" className="min-w-0 whitespace-pre-wrap wrap-anywhere">
        {text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text}
      </span>
    </Tag>
  );
}

/** The number of unchanged lines that stay visible before and after a change. */
const CONTEXT = 3;

/** The rows to show, and between them the numbers of hidden unchanged rows. */
export function collapseSame(rows: readonly DiffRow[]): readonly (DiffRow | number)[] {
  const isNear = new Uint8Array(rows.length);
  rows.forEach(({ kind }, at) => {
    if (kind !== "same") isNear.fill(1, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  });
  const shown: (DiffRow | number)[] = [];
  rows.forEach((row, at) => {
    const last = shown.at(-1);
    if (isNear[at]) shown.push(row);
    else if (typeof last === "number") shown[shown.length - 1] = last + 1;
    else shown.push(1);
  });
  return shown;
}
