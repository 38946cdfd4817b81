import type { ChangePreview, PreviewedKey, PreviewedModel } from "../../../platform-client/types.ts";
import type { Invocation } from "../command.ts";
import { formatDetails } from "./format-details.ts";
import { formatDay, formatUsd, formatTime, formatNumber } from "./format-values.ts";
import { terminalWidth } from "../output.ts";
import { formatTable, type Column } from "./table.ts";

export function describePreview(preview: ChangePreview, { name }: Pick<Invocation, "name">): string {
  const { from, to, requests, keys, models, replacement } = preview;
  const details = formatDetails([
    ["Range", `${formatTime(from)} to ${formatTime(to)} UTC`],
    ["Requests", `${formatNumber(requests)} simulated with the change`],
    ["Rejected", describeRejected(preview)],
    ...describeParts(preview),
    ["Cost", describeMoney(preview)],
    ["Keys", `${keys.count === 0 ? "none" : formatNumber(keys.count)} affected`],
    ...(replacement === null
      ? []
      : [["Replacement", `${replacement}, named in ${name === "models retire" ? "each rejection" : "the announcement"}`]]),
  ]);
  const tables = [describeAffected(keys, KEY_COLUMNS), models.count > 1 ? describeAffected(models, MODEL_COLUMNS) : ""];
  return `${details}${tables.join("")}\nNothing was saved. Run ${name} without --preview to make the change.\n`;
}

function describeRejected({ refused, refused_by: codes }: ChangePreview): string {
  if (refused === 0) return "none";
  const each = Object.entries(codes).map(([code, count]) => `${formatNumber(count)} ${code}`);
  return `${formatNumber(refused)}: ${each.join(", ")}`;
}

/** Where limits or spend caps per end user or tag reject requests. */
function describeParts({ refused_end_users: users, refused_tag_values: values }: ChangePreview): [string, string][] {
  const rows: [string, number][] = [
    ["End users", users],
    ["Tag values", values],
  ];
  return rows.flatMap(([name, count]) => (count === 0 ? [] : [[name, `${formatNumber(count)} with rejected requests`]]));
}

function describeMoney({ money: { charged, would_be_charged: wouldBe, difference }, prices_from: from }: ChangePreview): string {
  const prices = from === null ? "" : `, at the prices from ${formatDay(from)}`;
  if (charged === wouldBe) return `${formatUsd(charged)}, unchanged${prices}`;
  const more = difference.startsWith("-") ? `${formatUsd(difference.slice(1))} less` : `${formatUsd(difference)} more`;
  return `${formatUsd(charged)} → ${formatUsd(wouldBe)}, ${more}${prices}`;
}

function describeAffected<Item extends PreviewedModel>(
  { count, first }: { readonly count: number; readonly first: readonly Item[] },
  columns: readonly Column<Item>[],
): string {
  if (count === 0) return "";
  const more = count - first.length;
  return `\n${formatTable(columns, first, terminalWidth())}${more > 0 ? `and ${formatNumber(more)} more\n` : ""}`;
}

const SUM_COLUMNS: readonly Column<PreviewedModel>[] = [
  { heading: "REQUESTS", cell: ({ requests }) => formatNumber(requests), align: "right" },
  { heading: "REJECTED", cell: ({ refused }) => formatNumber(refused), align: "right" },
  { heading: "COST", cell: ({ charged }) => charged, align: "point" },
  { heading: "NEW COST", cell: ({ would_be_charged: wouldBe }) => wouldBe, align: "point" },
];

const KEY_COLUMNS: readonly Column<PreviewedKey>[] = [
  { heading: "KEY", cell: ({ id }) => id },
  ...SUM_COLUMNS,
  { heading: "ACCOUNT", cell: ({ account }) => account, isLong: true },
  { heading: "NAME", cell: ({ name }) => name, isLong: true },
];

const MODEL_COLUMNS: readonly Column<PreviewedModel>[] = [{ heading: "MODEL", cell: ({ id }) => id, isLong: true }, ...SUM_COLUMNS];
