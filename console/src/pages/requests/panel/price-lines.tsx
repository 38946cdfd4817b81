import type { ReactNode } from "react";
import type { Receipt } from "../../../../../platform-client/types.ts";
import { count, exactMoney } from "../../../parts/format/format.ts";
import { Table, type Column } from "../../../parts/table.tsx";

const KINDS = {
  input: "Input",
  cached_input: "Cached input",
  cache_write: "Cache write",
  output: "Output",
  reasoning: "Reasoning",
  total: "Charged",
} as const;

interface Line {
  readonly kind: keyof typeof KINDS;
  readonly tokens: number;
  readonly perMillion: number | undefined;
  readonly cost: string;
}

const COLUMNS: readonly Column<Line>[] = [
  { title: "Tokens", className: "whitespace-normal!", cell: (line) => <Kind line={line} /> },
  { title: "Count", figures: true, cell: ({ kind, tokens }) => <Strong of={kind}>{count(tokens)}</Strong> },
  { title: "× per million", figures: true, from: "sm", cell: ({ perMillion }) => rateOf(perMillion) },
  { title: "= cost", figures: true, cell: ({ kind, cost }) => <Strong of={kind}>{exactMoney(cost)}</Strong> },
];

function rateOf(perMillion: number | undefined): string {
  return perMillion === undefined ? "" : exactMoney(String(perMillion));
}

/** On a narrow screen the rate has no column of its own. */
function Kind({ line: { kind, perMillion } }: { readonly line: Line }): ReactNode {
  return (
    <>
      <Strong of={kind}>{KINDS[kind]}</Strong>
      {perMillion !== undefined && <span className="block text-ink-3 sm:hidden">× {rateOf(perMillion)} per million</span>}
    </>
  );
}

function Strong({ of, children }: { readonly of: Line["kind"]; readonly children: ReactNode }): ReactNode {
  return of === "total" ? <strong className="font-semibold">{children}</strong> : children;
}

/** Tokens × price = cost, one row per kind of token, and the total charge. Only the total is rounded, once. */
export function PriceLines({ receipt: { lines, charged } }: { readonly receipt: Receipt }): ReactNode {
  const each = lines.map(({ per_million: perMillion, ...line }) => ({ ...line, perMillion }));
  const tokens = lines.reduce((sum, line) => sum + line.tokens, 0);
  const total: Line = { kind: "total", tokens, perMillion: undefined, cost: charged ?? "0" };
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <Table dense isText label="Cost breakdown" columns={COLUMNS} rows={[...each, total]} keyOf={({ kind }) => kind} />
    </div>
  );
}
