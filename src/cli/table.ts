import { wrap } from "./wrap.ts";

/** A column of a table of things. */
export interface Column<Item> {
  readonly heading: string;
  readonly cell: (item: Item) => string;
  /** Numbers stand at the right, or with their decimal points under each other. */
  readonly align?: "right" | "point";
  /** Long text, which gives way where the terminal is too narrow; what is the least of all before the rest. */
  readonly isLong?: true | "least";
  /** What goes first where the terminal is too narrow, before anything is cut; the last of these before the others. */
  readonly isSpare?: true;
}

const GAP = "  ";
const LEAST_WIDTH = 6;
const LEAST_ROOM = 30;

/**
 * Things in rows under headings, without the columns that are empty in each. With a width, long text is cut as far as it must be;
 * without one, nothing is.
 */
export function formatTable<Item>(columns: readonly Column<Item>[], items: readonly Item[], width?: number): string {
  if (items.length === 0) return "There are none.\n";
  const inUse = columns.filter(({ cell }) => items.some((item) => cell(item) !== ""));
  const filled = width === undefined ? inUse : withoutSpare(inUse, items, width);
  const cells = filled.map((column) => alignCells(column, items));
  const fitting = width === undefined ? cells : cutLong(cells, filled, width);
  const rows = Array.from({ length: items.length + 1 }, (_, row) => fitting.map((column) => column[row]!));
  return formatColumns(rows);
}

/** A heading and what is under it. */
function alignCells<Item>({ heading, cell, align }: Column<Item>, items: readonly Item[]): string[] {
  const texts = items.map(cell);
  if (align === undefined) return [heading, ...texts];
  // Points under each other stay so, because all of these texts get one width before they are moved.
  const numbers = align === "point" ? padEnds(alignPoints(texts)) : texts;
  const width = Math.max(...[heading, ...numbers].map(widthOf));
  return [heading, ...numbers].map((text) => " ".repeat(width - widthOf(text)) + text);
}

function withoutSpare<Item>(columns: readonly Column<Item>[], items: readonly Item[], width: number): readonly Column<Item>[] {
  const spare = columns.findLastIndex(({ isSpare }) => isSpare);
  if (spare < 0 || widthOfAll(columns.map((column) => alignCells(column, items))) <= width) return columns;
  return withoutSpare(columns.toSpliced(spare, 1), items, width);
}

function widthOfAll(cells: readonly string[][]): number {
  const widths = cells.map((column) => Math.max(...column.map(widthOf)));
  return widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);
}

function padEnds(texts: readonly string[]): string[] {
  const width = Math.max(...texts.map(widthOf));
  return texts.map((text) => text.padEnd(width));
}

/** Takes from the widest of the long columns until the table fits, or until nothing can be taken; from the least ones first. */
function cutLong<Item>(cells: readonly string[][], columns: readonly Column<Item>[], width: number): string[][] {
  const widths = cells.map((column) => Math.max(...column.map(widthOf)));
  let excess = widthOfAll(cells) - width;
  for (; excess > 0; excess--) {
    const widest = widestOf(widths, columns, "least") ?? widestOf(widths, columns, true);
    if (widest === undefined) break;
    widths[widest]!--;
  }
  return cells.map((column, at) => column.map((text) => cutTo(text, widths[at]!)));
}

/** The column of this kind that has the most to give, if one has. */
function widestOf<Item>(widths: readonly number[], columns: readonly Column<Item>[], kind: Column<Item>["isLong"]): number | undefined {
  const long = widths.map((each, at) => (columns[at]!.isLong === kind ? each : 0));
  const widest = Math.max(...long);
  return widest > LEAST_WIDTH ? long.lastIndexOf(widest) : undefined;
}

/** A text in so many columns, with a sign that it was cut. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(cut + segment) >= width) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** How many columns of a terminal a text takes: a Chinese character takes two, an accent none. */
function widthOf(text: string): number {
  return Bun.stringWidth(text);
}

/** Rows in columns as wide as their widest cell, each behind an indent. */
export function formatColumns(rows: readonly (readonly string[])[], indent = ""): string {
  const widths = widthsOf(rows);
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => cell + " ".repeat(widths[column]! - widthOf(cell)));
      return `${indent}${cells.join(GAP)}`.trimEnd() + "\n";
    })
    .join("");
}

/** The same, where the last cell goes on under itself at the end of the terminal, and nothing is cut. */
export function formatWrapped(rows: readonly (readonly string[])[], width: number | undefined, indent = ""): string {
  if (width === undefined) return formatColumns(rows, indent);
  const heads = rows.map((row) => row.slice(0, -1));
  const taken = widthsOf(heads).reduce((sum, each) => sum + each + GAP.length, indent.length);
  const room = Math.max(LEAST_ROOM, width - taken);
  const lines = rows.flatMap((row, at) => {
    const [first, ...rest] = wrap(row.at(-1)!, room);
    return [[...heads[at]!, first!], ...rest.map((line) => [...heads[at]!.map(() => ""), line])];
  });
  return formatColumns(lines, indent);
}

/** How wide each column is. */
export function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))));
  return widths;
}

/** Numbers with their decimal points in one column, however many decimals they have. */
export function alignPoints(amounts: readonly string[]): string[] {
  const wholes = amounts.map((amount) => amount.split(".")[0]!.length);
  const width = Math.max(0, ...wholes);
  return amounts.map((amount, at) => " ".repeat(amount === "" ? 0 : width - wholes[at]!) + amount);
}
