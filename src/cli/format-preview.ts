import type { ChangePreview, PreviewedKey, PreviewedModel } from "../../platform-client/types.ts";
import type { Invocation } from "./command.ts";
import { formatDetails } from "./format-details.ts";
import { formatUsd, formatTime, formatNumber } from "./format-values.ts";
import { terminalWidth } from "./output.ts";
import { formatTable, type Column } from "./table.ts";

export function describePreview(preview: ChangePreview, { name }: Pick<Invocation, "name">): string {
  const { from, to, requests, keys, models, replacement } = preview;
  const facts = formatDetails([
    ["Looked at", `${formatTime(from)} to ${formatTime(to)} UTC`],
    ["Requests", `${formatNumber(requests)} that the change concerns`],
    ["Refused", describeRefused(preview)],
    ["Money", describeMoney(preview)],
    ["Keys", `${keys.count === 0 ? "none" : formatNumber(keys.count)} would have noticed`],
    ...(replacement === null ? [] : [["Instead", `callers would have been told to use ${replacement}`]]),
  ]);
  const tables = [describeTouched(keys, KEY_COLUMNS), models.count > 1 ? describeTouched(models, MODEL_COLUMNS) : ""];
  return `${facts}${tables.join("")}\nNothing was saved. The same ${name} without --preview makes the change, or says where it is made.\n`;
}

function describeRefused({ refused, refused_by: codes }: ChangePreview): string {
  if (refused === 0) return "none would have been";
  const each = Object.entries(codes).map(([code, count]) => `${formatNumber(count)} ${code}`);
  return `${formatNumber(refused)} would have been: ${each.join(", ")}`;
}

function describeMoney({ money: { charged, would_be_charged: wouldBe, difference } }: ChangePreview): string {
  if (charged === wouldBe) return `${formatUsd(charged)} charged; it would have been the same`;
  const more = difference.startsWith("-") ? `${formatUsd(difference.slice(1))} less` : `${formatUsd(difference)} more`;
  return `${formatUsd(charged)} charged; it would have been ${formatUsd(wouldBe)}, ${more}`;
}

function describeTouched<Item extends PreviewedModel>(
  { count, first }: { readonly count: number; readonly first: readonly Item[] },
  columns: readonly Column<Item>[],
): string {
  if (count === 0) return "";
  const more = count - first.length;
  return `\n${formatTable(columns, first, terminalWidth())}${more > 0 ? `and ${formatNumber(more)} more\n` : ""}`;
}

const SUM_COLUMNS: readonly Column<PreviewedModel>[] = [
  { heading: "REQUESTS", cell: ({ requests }) => formatNumber(requests), align: "right" },
  { heading: "REFUSED", cell: ({ refused }) => formatNumber(refused), align: "right" },
  { heading: "CHARGED", cell: ({ charged }) => charged, align: "point" },
  { heading: "WOULD BE", cell: ({ would_be_charged: wouldBe }) => wouldBe, align: "point" },
];

const KEY_COLUMNS: readonly Column<PreviewedKey>[] = [
  { heading: "KEY", cell: ({ id }) => id },
  ...SUM_COLUMNS,
  { heading: "ACCOUNT", cell: ({ account }) => account, isLong: true },
  { heading: "NAME", cell: ({ name }) => name, isLong: true },
];

const MODEL_COLUMNS: readonly Column<PreviewedModel>[] = [{ heading: "MODEL", cell: ({ id }) => id, isLong: true }, ...SUM_COLUMNS];
