import type { UsagePage, UsageRow } from "../../../../platform-client/types.ts";
import { UsageError, type Command, type Invocation } from "../../command.ts";
import { DEFAULT_PAGE, listCommand, readAll, type Page } from "../../list-command.ts";
import { formatCount, formatNumber } from "../../format/format-values.ts";
import { printable, writeStdout, terminalWidth } from "../../output.ts";
import { readFields } from "../../platform-command.ts";
import type { Column } from "../../format/table.ts";
import { drawUsage, DEFAULT_WIDTH } from "./usage-chart.ts";
import { completeQuery, groupColumns, groupsIn, isSortedByCost, noUsage, REPORT_OPTIONS } from "./report-options.ts";
import { summarize } from "./usage-report.ts";

const listed = listCommand<UsageRow>({
  summary: "Show usage and cost by hour, day, model, key, account, upstream, end user, conversation, endpoint or tag.",
  details:
    "The default range is the last 30 days, or the last 48 hours with --by hour. Days and hours are in this machine's time zone, unless --zone names another. " +
    "An hour or day that is not completely in the range is marked as partial. " +
    "REQUESTS counts the charged requests, including responses that were interrupted after the first token. FAILED requests were admitted, " +
    "received no response, and cost nothing. " +
    "--chart draws bars: dollars, or requests if nothing had a price.",
  examples: [
    "usage",
    "usage --by day --since 2027-01-01 --until 2027-02-01 --zone Europe/Berlin",
    "usage --by day,model --chart",
    "usage --by day,key --top 5",
    "usage --by key --account default --model echo",
    "usage --by key --limit 10",
    "usage --by hour_of_week --since 28d --limit 168",
    "usage --by user --account default --since 7d",
    "usage --by day,tag:team --account default",
    "usage --by endpoint,model",
  ],
  options: {
    ...REPORT_OPTIONS,
    chart: { meaning: "draw a bar chart of the whole range" },
  },
  call: "GET /api/usage",
  empty: noUsage,
  complete: completeQuery,
  columns: (invocation) => [...groupColumns<UsageRow>(invocation), ...MEASURES],
  foot: (page, invocation) => `${summarize(page as UsagePage)}${describeRest(page, invocation)}`,
});

export const showUsage: Command = {
  ...listed,
  async run(invocation) {
    const { chart, limit, cursor } = invocation.options;
    if (chart === undefined || invocation.json) return listed.run(invocation);
    if (limit !== undefined || cursor !== undefined) throw new UsageError("--chart draws the whole range: omit --limit and --cursor");
    const query = completeQuery(readFields(listed, invocation), invocation);
    const page = (await readAll<UsageRow>(listed, invocation, query)) as UsagePage;
    const drawn = drawUsage(page, groupsIn(invocation), terminalWidth() ?? DEFAULT_WIDTH);
    await writeStdout(printable(`${drawn}\n${summarize(page)}`));
  },
};

const MEASURES: readonly Column<UsageRow>[] = [
  { heading: "REQUESTS", cell: (row) => formatNumber(row.requests), align: "right" },
  { heading: "FAILED", cell: (row) => formatUnlessZero(row.failed), align: "right" },
  { heading: "INPUT TOKENS", cell: (row) => formatNumber(row.prompt_tokens), align: "right" },
  { heading: "CACHED", cell: (row) => formatUnlessZero(row.cached_tokens), align: "right", isSpare: true },
  { heading: "OUTPUT TOKENS", cell: (row) => formatNumber(row.completion_tokens), align: "right" },
  { heading: "COST ($)", cell: ({ cost }) => cost, align: "point" },
];

function describeRest({ data }: Page<UsageRow>, invocation: Invocation): string {
  const { limit: asked, all } = invocation.options;
  const limit = Number(asked ?? DEFAULT_PAGE);
  if (!isSortedByCost(invocation) || all !== undefined || data.length < limit) return "";
  return `Limited to ${formatCount(limit, "row")} with the highest cost; --all lists all rows, by name.\n`;
}

function formatUnlessZero(count: number): string {
  return count === 0 ? "" : formatNumber(count);
}
