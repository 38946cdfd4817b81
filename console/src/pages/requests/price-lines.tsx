import type { ReactNode } from "react";
import type { Receipt } from "../../platform/interface.ts";
import { count, exactMoney } from "../../parts/format.ts";
import { Table, type Column } from "../../parts/table.tsx";

const KINDS = {
  input: "Input",
  cached_input: "Input, cached",
  cache_write: "Input, written to the cache",
  output: "Output",
  reasoning: "Output, reasoning",
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

/** On a phone the rate has no column of its own. */
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

/** Tokens, times the price, is money: a line for each kind of tokens, and what was charged in all. Only that is rounded, once. */
export function PriceLines({ receipt: { lines, charged } }: { readonly receipt: Receipt }): ReactNode {
  const each = lines.map(({ per_million: perMillion, ...line }) => ({ ...line, perMillion }));
  const tokens = lines.reduce((sum, line) => sum + line.tokens, 0);
  const total: Line = { kind: "total", tokens, perMillion: undefined, cost: charged ?? "0" };
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <Table dense isText label="How the cost came about" columns={COLUMNS} rows={[...each, total]} keyOf={({ kind }) => kind} />
    </div>
  );
}
