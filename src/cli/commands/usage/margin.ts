import type { MarginPage, MarginRow } from "../../../../platform-client/types.ts";
import { formatCount, formatNumber, formatUsd } from "../../format/format-values.ts";
import type { Column } from "../../format/table.ts";
import { listCommand } from "../../list-command.ts";
import { REPORT_OPTIONS, completeQuery, groupColumns, noUsage } from "./report-options.ts";
import { describeRange } from "./usage-report.ts";

const UNKNOWN = "unknown";

export const showMargin = listCommand<MarginRow>({
  summary: "Show charges, upstream costs and margin by account, model, upstream, key, end user, conversation, endpoint, tag, hour or day.",
  details:
    "The upstream cost is what the provider charges for the usage: the cost of the route if it is set, otherwise the published price. CHARGED is what all requests were charged. UNKNOWN counts the requests for which no upstream cost is known; SOLD, COST and MARGIN are without them. For operators.",
  examples: ["margin", "margin --by account", "margin --by day --since 2027-01-01 --until 2027-02-01", "margin --by upstream,model"],
  options: REPORT_OPTIONS,
  call: "GET /api/margin",
  empty: noUsage,
  complete: completeQuery,
  columns: (invocation) => [...groupColumns<MarginRow>(invocation), ...MEASURES],
  foot: (page) => summarize(page as MarginPage),
});

const MEASURES: readonly Column<MarginRow>[] = [
  { heading: "REQUESTS", cell: (row) => formatNumber(row.requests), align: "right" },
  { heading: "CHARGED ($)", cell: (row) => row.charged, align: "point" },
  { heading: "UNKNOWN", cell: (row) => (row.unknown_requests === 0 ? "" : formatNumber(row.unknown_requests)), align: "right" },
  { heading: "SOLD ($)", cell: (row) => (row.upstream_cost === null ? "" : row.sold), align: "point" },
  { heading: "COST ($)", cell: (row) => row.upstream_cost ?? UNKNOWN, align: "point" },
  { heading: "MARGIN ($)", cell: (row) => row.margin ?? UNKNOWN, align: "point" },
  { heading: "%", cell: (row) => (row.margin_percent === null ? "" : row.margin_percent.toFixed(1)), align: "point" },
];

function summarize({ total, ...range }: MarginPage): string {
  const { requests, charged, unknown_requests: unknown, sold, upstream_cost: cost, margin } = total;
  const money =
    cost === null
      ? `charged ${formatUsd(charged)}, no upstream cost is known`
      : `sold for ${formatUsd(sold)}, cost ${formatUsd(cost)}, margin ${formatUsd(margin!)}`;
  const without = unknown === 0 || cost === null ? "" : `; the cost of ${formatCount(unknown, "request")} is unknown`;
  return describeRange(`Total: ${formatCount(requests, "request")}, ${money}${without}`, range);
}
