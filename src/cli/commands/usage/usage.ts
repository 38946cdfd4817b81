import type { UsagePage, UsageRow } from "../../../../platform-client/types.ts";
import { UsageError, type Command, type Invocation, type Reader } from "../../command.ts";
import { DEFAULT_PAGE, listCommand, readAll, type Page } from "../../list-command.ts";
import { formatCount, formatNumber } from "../../format/format-values.ts";
import { choice, keyId, momentAgo, text } from "../../options.ts";
import { printable, writeStdout, terminalWidth } from "../../output.ts";
import { readFields, type Fields } from "../../platform-command.ts";
import type { Column } from "../../format/table.ts";
import { drawUsage, DEFAULT_WIDTH } from "./usage-chart.ts";
import { GROUPS, nameOf, summarize, type Group } from "./usage-report.ts";

/** Names separated by commas, with optional spaces. The platform validates them. */
const readBy: Reader = (given) => given.replaceAll(" ", "");

const listed = listCommand<UsageRow>({
  summary: "Show usage and cost by hour, day, model, key, account or upstream.",
  details:
    "The default range is the last 30 days, or the last 48 hours with --by hour. Days and hours are in this machine's time zone, unless --zone names another. " +
    "An hour or day that is not completely in the range is marked as partial. " +
    "REQUESTS counts the charged requests, including responses that were interrupted after the first token. FAILED requests were admitted, " +
    "received no response, and cost nothing. " +
    "--chart draws bars: dollars, or requests if nothing had a price.",
  examples: [
    "usage",
    "usage --by day --from 2027-01-01 --to 2027-02-01 --zone Europe/Berlin",
    "usage --by day,model --chart",
    "usage --by key --account default --model echo",
    "usage --by key --limit 10",
  ],
  options: {
    by: { ...text("by", `grouping: one or two of ${GROUPS.join(", ")} (default: model)`, "GROUP[,GROUP]"), read: readBy },
    order: choice(
      "order",
      ["name", "cost"],
      "sort order: by name, or highest cost first (default: cost; by name with hour, day, --all or --json)",
    ),
    account: text("account", "only usage of this account", "ACCOUNT"),
    key: keyId("key", "only usage of this key, by ID"),
    model: text("model", "only usage of this model", "MODEL"),
    zone: text("zone", "time zone of days and hours, such as Europe/Berlin (default: this machine's)", "ZONE"),
    from: momentAgo("from", "start of the range: 7d, 2027-01-31, or 2027-01-31T12:00:00Z"),
    to: momentAgo("to", "end of the range, exclusive (default: now)"),
    chart: { meaning: "draw a bar chart of the whole range" },
  },
  call: "GET /api/usage",
  empty: "No usage.",
  complete: completeQuery,
  columns: (invocation) => [...groupsIn(invocation).flatMap(columnsOf), ...MEASURES],
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

function columnsOf(group: Group): Column<UsageRow>[] {
  if (group === "hour" || group === "day") {
    return [{ heading: group.toUpperCase(), cell: (row) => `${nameOf(row, group)}${row.is_partial ? " (partial)" : ""}` }];
  }
  const cell = (row: UsageRow): string => nameOf(row, group);
  if (group !== "key") return [{ heading: group.toUpperCase(), cell, isLong: true }];
  return [
    { heading: "KEY", cell: (row) => row.key_name ?? cell(row), isLong: true },
    { heading: "KEY ID", cell, isSpare: true },
  ];
}

function groupsIn({ options }: Pick<Invocation, "options">): Group[] {
  return (options["by"] ?? "model").replaceAll(" ", "").split(",") as Group[];
}

/** In the time zone of this machine, and sorted by cost, unless the command line says otherwise. */
function completeQuery(fields: Fields, invocation: Pick<Invocation, "options" | "json">): Fields {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { zone, ...(isSortedByCost(invocation) && { order: "cost" }), ...fields };
}

/** Cost is the default order for people. It has a single page, so --json and --all use the order by name. */
function isSortedByCost({ options, json }: Pick<Invocation, "options" | "json">): boolean {
  const { order, all, cursor, chart } = options;
  if (order !== undefined) return order === "cost";
  const isByTime = groupsIn({ options }).some((group) => group === "hour" || group === "day");
  return !isByTime && !json && [all, cursor, chart].every((option) => option === undefined);
}

function describeRest({ data }: Page<UsageRow>, invocation: Invocation): string {
  const { limit: asked, all } = invocation.options;
  const limit = Number(asked ?? DEFAULT_PAGE);
  if (!isSortedByCost(invocation) || all !== undefined || data.length < limit) return "";
  return `Limited to ${formatCount(limit, "row")} with the highest cost; --all lists all rows, by name.\n`;
}

function formatUnlessZero(count: number): string {
  return count === 0 ? "" : formatNumber(count);
}
