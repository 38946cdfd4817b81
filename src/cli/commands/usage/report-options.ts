import { MODEL_ENDPOINTS } from "../../../money/attribution.ts";
import type { Invocation, Reader } from "../../command.ts";
import type { Column } from "../../format/table.ts";
import { noneMatching } from "../../format/none-matching.ts";
import { choice, count, countBetween, keyId, momentAgo, text } from "../../options.ts";
import type { Fields } from "../../platform-command.ts";
import { GROUPS, isAttribution, nameOf, type Group, type NamedRow } from "./usage-report.ts";

/** Names separated by commas, with optional spaces. The platform validates them. */
const readBy: Reader = (given) => given.replaceAll(" ", "");

/** The options of reports about usage. */
export const REPORT_OPTIONS = {
  by: { ...text("by", `grouping: one or two of ${GROUPS.join(", ")} (default: model); hour_of_week alone`, "GROUP[,GROUP]"), read: readBy },
  order: choice(
    "order",
    ["name", "cost"],
    "sort order: by name, or highest cost first (default: cost; by name with hour, day, --all or --json)",
  ),
  top: countBetween(1, 50, count("top", "only the N largest groups of the range; the others are one row")),
  "top-by": choice("top_by", ["cost", "requests", "tokens", "failed"], "the measure of --top (default: cost)"),
  account: text("account", "only usage of this account", "ACCOUNT"),
  key: keyId("key", "only usage of this key, by ID"),
  model: text("model", "only usage of this model", "MODEL"),
  user: text("user", "only usage of this end user; needs --account or --key", "USER"),
  tag: text("tag", "only usage with this tag, such as team:search", "NAME:VALUE"),
  conversation: text("conversation", "only usage of this conversation; needs --account or --key", "CONVERSATION"),
  endpoint: choice("endpoint", MODEL_ENDPOINTS, "only usage at this endpoint"),
  zone: text("zone", "time zone of days and hours, such as Europe/Berlin (default: this machine's)", "ZONE"),
  since: momentAgo("from", "start of the range: 7d, 2027-01-31, or 2027-01-31T12:00:00Z"),
  until: momentAgo("to", "end of the range, exclusive (default: now)"),
};

const FILTERS: ReadonlySet<string> = new Set(["account", "key", "model", "user", "tag", "conversation", "endpoint"]);

/** The sentence instead of an empty report. */
export function noUsage(invocation: Pick<Invocation, "options">): string {
  return noneMatching("No usage", invocation, (option) => FILTERS.has(option));
}

/** The columns of the groups of a report. */
export function groupColumns<Row extends NamedRow>(invocation: Pick<Invocation, "options">): Column<Row>[] {
  const groups = groupsIn(invocation);
  // In a report over several accounts, rows by end user, conversation or tag are also grouped by account.
  const isOfEach = groups.some(isAttribution) && !groups.includes("account") && invocation.options["account"] === undefined;
  return (isOfEach ? ["account" as const, ...groups] : groups).flatMap((group) => columnsOf<Row>(group));
}

function columnsOf<Row extends NamedRow>(group: Group): Column<Row>[] {
  if (group === "hour" || group === "day") {
    return [{ heading: group.toUpperCase(), cell: (row) => `${nameOf(row, group)}${row.is_partial ? " (partial)" : ""}` }];
  }
  const cell = (row: Row): string => nameOf(row, group);
  if (group === "hour_of_week") return [{ heading: "HOUR OF WEEK", cell }];
  if (group !== "key") return [{ heading: group.toUpperCase(), cell, isLong: true }];
  return [
    { heading: "KEY", cell: (row) => row.key_name ?? cell(row), isLong: true },
    { heading: "KEY ID", cell, isSpare: true },
  ];
}

export function groupsIn({ options }: Pick<Invocation, "options">): Group[] {
  return (options["by"] ?? "model").replaceAll(" ", "").split(",") as Group[];
}

/** In the time zone of this machine, and sorted by cost, unless the command line says otherwise. */
export function completeQuery(fields: Fields, invocation: Pick<Invocation, "options" | "json">): Fields {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { zone, ...(isSortedByCost(invocation) && { order: "cost" }), ...fields };
}

/** Cost is the default order for people. It has a single page, so --json and --all use the order by name. */
export function isSortedByCost({ options, json }: Pick<Invocation, "options" | "json">): boolean {
  const { order, all, cursor, chart, top } = options;
  if (order !== undefined) return order === "cost";
  const isByTime = groupsIn({ options }).some((group) => group === "hour" || group === "day" || group === "hour_of_week");
  return !isByTime && !json && [all, cursor, chart, top].every((option) => option === undefined);
}
