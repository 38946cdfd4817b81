import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoggedRequestInFull, Price, Receipt } from "../../../../../platform-client/types.ts";
import { useApiQuery } from "../../../platform/use-api.ts";
import { Mono } from "../../../parts/code.tsx";
import { Facts } from "../../../parts/facts.tsx";
import { count, exactMoney } from "../../../parts/format/format.ts";
import { Fetched } from "../../../parts/states.tsx";
import { textLink } from "../../../parts/text-link.ts";
import { PanelSection } from "./panel-section.tsx";
import { Table, type Column } from "../../../parts/table.tsx";

const PROVENANCE = {
  measured: "by the upstream",
  partial: "by the upstream, up to the interruption",
  estimated: "estimated from the text length, because the upstream returned no usage",
} as const;

/** Tokens, prices and the charge of a request. */
export function CostSection({ request }: { readonly request: LoggedRequestInFull }): ReactNode {
  const hasReceipt = request.receipt !== null;
  const receipt = useApiQuery("showReceipt", { path: { requestId: request.request_id } }, { enabled: hasReceipt });
  return (
    <PanelSection title="Tokens and cost">
      {hasReceipt ? (
        <Fetched of={receipt} lines={3}>
          {(data) => <ReceiptDetails receipt={data} />}
        </Fetched>
      ) : (
        <WithoutReceipt request={request} />
      )}
    </PanelSection>
  );
}

function ReceiptDetails({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { price, provenance, uncharged, model } = receipt;
  return (
    <div className="flex flex-col gap-3">
      {receipt.lines.length > 0 ? <PriceLines receipt={receipt} /> : <p className="text-ink-2">{withoutLines(receipt)}</p>}
      <Facts
        facts={[
          provenance === null ? undefined : ["Tokens counted", PROVENANCE[provenance]],
          ["Reserved", exactMoney(receipt.held)],
          uncharged === null || Number(uncharged) === 0 ? undefined : ["Not charged", `${exactMoney(uncharged)}, above the reservation`],
          price === null ? undefined : ["Price", <PriceName key="price" model={model} of={price} />],
          receipt.upstream_cost == null ? undefined : ["Upstream cost", exactMoney(receipt.upstream_cost)],
        ]}
      />
    </div>
  );
}

function withoutLines({ state, held }: Receipt): string {
  if (state === "open") return `In flight: ${exactMoney(held)} is reserved.`;
  if (state === "released") return "Nothing was charged. The reservation was released.";
  return "No charge.";
}

function PriceName({ model, of: { version, price_list: list } }: { readonly model: string; readonly of: Price }): ReactNode {
  return (
    <>
      {list !== null && `price list ${list}, `}
      version <Mono>{version}</Mono> of{" "}
      <Link to="/models/$id" params={{ id: model }} className={textLink}>
        {model}
      </Link>
    </>
  );
}

function WithoutReceipt({ request: { usage, outcome } }: { readonly request: LoggedRequestInFull }): ReactNode {
  return (
    <p className="text-ink-2">
      {usage && `${count(usage.prompt_tokens)} input tokens, ${count(usage.completion_tokens)} output tokens. `}
      {outcome === "replayed" ? "The original request was charged." : "No credit was reserved, so there is no receipt."}
    </p>
  );
}

const KINDS = {
  input: "Input",
  cached_input: "Cached input",
  cache_write: "Cache write",
  cache_write_1h: "Cache write for 1 h",
  output: "Output",
  reasoning: "Reasoning",
  tool: "Tool",
  total: "Charged",
} as const;

interface Line {
  readonly kind: keyof typeof KINDS;
  /** The tool that ran at the provider, whose calls are counted instead of tokens. */
  readonly tool?: string;
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

/** On a narrow screen the rate has no separate column. */
function Kind({ line: { kind, tool, perMillion } }: { readonly line: Line }): ReactNode {
  return (
    <>
      <Strong of={kind}>{tool === undefined ? KINDS[kind] : `Calls of ${tool}`}</Strong>
      {perMillion !== undefined && <span className="block text-ink-3 sm:hidden">× {rateOf(perMillion)} per million</span>}
    </>
  );
}

function Strong({ of, children }: { readonly of: Line["kind"]; readonly children: ReactNode }): ReactNode {
  return of === "total" ? <strong className="font-semibold">{children}</strong> : children;
}

/** Tokens × price = cost, one row per kind of token, and the total charge. Only the total is rounded, once. */
function PriceLines({ receipt: { lines, tools, multipliers, charged } }: { readonly receipt: Receipt }): ReactNode {
  const each = lines.map(({ per_million: perMillion, ...line }): Line => ({ ...line, perMillion }));
  const fees = tools.map(({ tool, calls, cost }): Line => ({ kind: "tool", tool, tokens: calls, perMillion: undefined, cost }));
  const tokens = lines.reduce((sum, line) => sum + line.tokens, 0);
  const total: Line = { kind: "total", tokens, perMillion: undefined, cost: charged ?? "0" };
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <Table
        dense
        isText
        label="Cost breakdown"
        columns={COLUMNS}
        rows={[...each, ...fees, total]}
        keyOf={({ kind, tool = "" }) => `${kind} ${tool}`}
      />
      {multipliers.length > 0 && (
        <p className="px-3 py-2 text-sm text-ink-3">The rates include options of the request: {multipliers.join(", ")}.</p>
      )}
    </div>
  );
}
