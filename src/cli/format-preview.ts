import type { Invocation } from "./command.ts";
import { formatFacts } from "./format-details.ts";
import { inDollars, inTime } from "./format-values.ts";
import { terminalWidth } from "./output.ts";
import { formatTable, type Column } from "./table.ts";

interface TouchedView {
  readonly id: string;
  readonly requests: number;
  readonly refused: number;
  readonly charged: string;
  readonly would_be_charged: string;
}

interface TouchedKeyView extends TouchedView {
  readonly name: string;
  readonly account: string;
}

/** What a change would have done, as far as it is printed. */
export interface PreviewView {
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  readonly refused: number;
  readonly refused_by: Readonly<Record<string, number>>;
  readonly money: { readonly charged: string; readonly would_be_charged: string; readonly difference: string };
  readonly keys: { readonly count: number; readonly first: readonly TouchedKeyView[] };
  readonly models: { readonly count: number; readonly first: readonly TouchedView[] };
  readonly replacement: string | null;
}

export function describePreview(preview: PreviewView, { name }: Pick<Invocation, "name">): string {
  const { from, to, requests, keys, models, replacement } = preview;
  const facts = formatFacts([
    ["Looked at", `${inTime(from)} to ${inTime(to)} UTC`],
    ["Requests", `${inFull(requests)} that the change concerns`],
    ["Refused", describeRefused(preview)],
    ["Money", describeMoney(preview)],
    ["Keys", `${keys.count === 0 ? "none" : inFull(keys.count)} would have noticed`],
    ...(replacement === null ? [] : [["Instead", `callers would have been told to use ${replacement}`]]),
  ]);
  const tables = [describeTouched(keys, KEY_COLUMNS), models.count > 1 ? describeTouched(models, MODEL_COLUMNS) : ""];
  return `${facts}${tables.join("")}\nNothing was saved. The same ${name} without --preview makes the change, or says where it is made.\n`;
}

function describeRefused({ refused, refused_by: codes }: PreviewView): string {
  if (refused === 0) return "none would have been";
  const each = Object.entries(codes).map(([code, count]) => `${inFull(count)} ${code}`);
  return `${inFull(refused)} would have been: ${each.join(", ")}`;
}

function describeMoney({ money: { charged, would_be_charged: wouldBe, difference } }: PreviewView): string {
  if (charged === wouldBe) return `${inDollars(charged)} charged; it would have been the same`;
  const more = difference.startsWith("-") ? `${inDollars(difference.slice(1))} less` : `${inDollars(difference)} more`;
  return `${inDollars(charged)} charged; it would have been ${inDollars(wouldBe)}, ${more}`;
}

function describeTouched<Item extends TouchedView>(
  { count, first }: { readonly count: number; readonly first: readonly Item[] },
  columns: readonly Column<Item>[],
): string {
  if (count === 0) return "";
  const more = count - first.length;
  return `\n${formatTable(columns, first, terminalWidth())}${more > 0 ? `and ${inFull(more)} more\n` : ""}`;
}

const SUM_COLUMNS: readonly Column<TouchedView>[] = [
  { heading: "REQUESTS", cell: ({ requests }) => inFull(requests), align: "right" },
  { heading: "REFUSED", cell: ({ refused }) => inFull(refused), align: "right" },
  { heading: "CHARGED", cell: ({ charged }) => charged, align: "point" },
  { heading: "WOULD BE", cell: ({ would_be_charged: wouldBe }) => wouldBe, align: "point" },
];

const KEY_COLUMNS: readonly Column<TouchedKeyView>[] = [
  { heading: "KEY", cell: ({ id }) => id },
  ...SUM_COLUMNS,
  { heading: "ACCOUNT", cell: ({ account }) => account, isLong: true },
  { heading: "NAME", cell: ({ name }) => name, isLong: true },
];

const MODEL_COLUMNS: readonly Column<TouchedView>[] = [{ heading: "MODEL", cell: ({ id }) => id, isLong: true }, ...SUM_COLUMNS];

function inFull(count: number): string {
  return count.toLocaleString("en-US");
}
