import type { UsagePage, UsageRow } from "../../../../platform-client/types.ts";
import { UsageError, type Command, type Invocation, type Reader } from "../../command.ts";
import { listCommand, readAll } from "../../list-command.ts";
import { formatNumber } from "../../format-values.ts";
import { choice, text } from "../../options.ts";
import { printable, writeStdout, terminalWidth } from "../../output.ts";
import { readFields, type Fields } from "../../platform-command.ts";
import type { Column } from "../../table.ts";
import { drawUsage, USUAL_WIDTH } from "./usage-chart.ts";
import { GROUPS, nameOf, summarize, type Group } from "./usage-report.ts";

/** The names with commas between them, and perhaps spaces. The platform says which they may be. */
const readBy: Reader = (given) => given.replaceAll(" ", "");

const listed = listCommand<UsageRow>({
  summary: "Adds up what was used and what it cost, by hour, day, model, key, account or upstream.",
  details:
    "Without --from and --to it is of the last 30 days, by hour of the last 48 hours. Days and hours are those of this machine's time zone, unless --zone names another. " +
    "An hour or a day that is not there as a whole, because it is not over yet or something else was asked for, is marked as a part. " +
    "ANSWERED are the requests that were answered and charged, also where an answer broke off after its first words. FAILED are others, " +
    "which were let in and got no answer, and cost nothing. " +
    "--chart draws bars: dollars, or answered requests where nothing had a price.",
  examples: [
    "usage",
    "usage --by day --from 2027-01-01 --to 2027-02-01 --zone Europe/Berlin",
    "usage --by day,model --chart",
    "usage --by key --account default --model echo",
    "usage --by key --order cost --limit 10",
  ],
  options: {
    by: { ...text("by", `what each row is about: one or two of ${GROUPS.join(", ")}; model, if not given`, "WHAT[,WHAT]"), read: readBy },
    order: choice("order", ["name", "cost"], "by name, or what cost most first, --limit of them; name, if not given"),
    account: text("account", "that of one account", "ACCOUNT"),
    key: text("key", "that of one key, by its id", "ID"),
    model: text("model", "that of one model", "MODEL"),
    zone: text("zone", "whose days and hours: Europe/Berlin; this machine's, if not given", "ZONE"),
    from: text("from", "from this day or moment on: 2027-01-31, or 2027-01-31T12:00:00Z", "WHEN"),
    to: text("to", "before this day or moment; now, if not given", "WHEN"),
    chart: { meaning: "draw it as bars, all of it" },
  },
  call: "GET /api/usage",
  complete: withLocalZone,
  columns: (invocation) => [...groupsIn(invocation).flatMap(columnsOf), ...MEASURES],
  foot: (page) => summarize(page as UsagePage),
});

export const showUsage: Command = {
  ...listed,
  async run(invocation) {
    const { chart, limit, cursor } = invocation.options;
    if (chart === undefined || invocation.json) return listed.run(invocation);
    if (limit !== undefined || cursor !== undefined) throw new UsageError("--chart draws all of it: leave out --limit and --cursor");
    const page = (await readAll<UsageRow>(listed, invocation, withLocalZone(readFields(listed, invocation)))) as UsagePage;
    const drawn = drawUsage(page, groupsIn(invocation), terminalWidth() ?? USUAL_WIDTH);
    await writeStdout(printable(`${drawn}\n${summarize(page)}`));
  },
};

const MEASURES: readonly Column<UsageRow>[] = [
  { heading: "ANSWERED", cell: (row) => formatNumber(row.requests), align: "right" },
  { heading: "FAILED", cell: (row) => unlessNone(row.failed), align: "right" },
  { heading: "TOKENS IN", cell: (row) => formatNumber(row.prompt_tokens), align: "right" },
  { heading: "CACHED", cell: (row) => unlessNone(row.cached_tokens), align: "right", isSpare: true },
  { heading: "TOKENS OUT", cell: (row) => formatNumber(row.completion_tokens), align: "right" },
  { heading: "DOLLARS", cell: ({ cost }) => cost, align: "point" },
];

function columnsOf(group: Group): Column<UsageRow>[] {
  if (group === "hour" || group === "day") {
    return [{ heading: group.toUpperCase(), cell: (row) => `${nameOf(row, group)}${row.is_partial ? " (part)" : ""}` }];
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

function withLocalZone(fields: Fields): Fields {
  return { zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, ...fields };
}

function unlessNone(count: number): string {
  return count === 0 ? "" : formatNumber(count);
}
