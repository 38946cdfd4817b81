import { wrap } from "./wrap.ts";

/** A column of a table. */
export interface Column<Item> {
  readonly heading: string;
  readonly cell: (item: Item) => string;
  /** Numbers are aligned at the right, or by their decimal points. */
  readonly align?: "right" | "point";
  /** Long text, truncated in a narrow terminal; `least` columns are truncated first. */
  readonly isLong?: true | "least";
  /** Omitted in a narrow terminal, before anything is truncated, starting with the last. */
  readonly isSpare?: true;
  /** Prose. In a terminal that is too narrow for it, it is wrapped below its row, and never truncated. At most one column has it. */
  readonly isProse?: true;
}

const GAP = "  ";
const MIN_WIDTH = 6;
const MIN_WRAP_WIDTH = 30;

/**
 * Rows under headings, without columns that are empty in every row. With a width, long text is truncated to fit.
 */
export function formatTable<Item>(columns: readonly Column<Item>[], items: readonly Item[], width?: number): string {
  if (items.length === 0) return "None found.\n";
  const inUse = columns.filter(({ cell }) => items.some((item) => cell(item) !== ""));
  const prose = width !== undefined && !fits(inUse, items, width) ? inUse.find(({ isProse }) => isProse) : undefined;
  const beside = inUse.filter((column) => column !== prose);
  const filled = width === undefined ? beside : withoutSpare(beside, items, width);
  const cells = filled.map((column) => alignCells(column, items));
  const fitting = width === undefined ? cells : truncateLong(cells, filled, width);
  const rows = Array.from({ length: items.length + 1 }, (_, row) => fitting.map((column) => column[row]!));
  return prose === undefined ? formatColumns(rows) : withProseBelow(formatColumns(rows), prose, items, width!);
}

const PROSE_INDENT = "    ";

function withProseBelow<Item>(table: string, { cell }: Column<Item>, items: readonly Item[], width: number): string {
  const [heading, ...rows] = table.trimEnd().split("\n");
  const lines = rows.flatMap((row, at) => {
    const prose = cell(items[at]!);
    return [row, ...(prose === "" ? [] : wrap(prose, width - PROSE_INDENT.length).map((line) => `${PROSE_INDENT}${line}`))];
  });
  return [heading, ...lines].map((line) => `${line}\n`).join("");
}

/** A heading and its cells. */
function alignCells<Item>({ heading, cell, align }: Column<Item>, items: readonly Item[]): string[] {
  const texts = items.map(cell);
  if (align === undefined) return [heading, ...texts];
  // The points stay aligned, because all texts are padded to one width first.
  const numbers = align === "point" ? padEnds(alignPoints(texts)) : texts;
  const width = Math.max(...[heading, ...numbers].map(widthOf));
  return [heading, ...numbers].map((text) => " ".repeat(width - widthOf(text)) + text);
}

function withoutSpare<Item>(columns: readonly Column<Item>[], items: readonly Item[], width: number): readonly Column<Item>[] {
  const spare = columns.findLastIndex(({ isSpare }) => isSpare);
  if (spare < 0 || fits(columns, items, width)) return columns;
  return withoutSpare(columns.toSpliced(spare, 1), items, width);
}

function fits<Item>(columns: readonly Column<Item>[], items: readonly Item[], width: number): boolean {
  return widthOfAll(columns.map((column) => alignCells(column, items))) <= width;
}

function widthOfAll(cells: readonly string[][]): number {
  const widths = cells.map((column) => Math.max(...column.map(widthOf)));
  return widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);
}

function padEnds(texts: readonly string[]): string[] {
  const width = Math.max(...texts.map(widthOf));
  return texts.map((text) => text.padEnd(width));
}

/** Narrows the widest long column until the table fits, or no column can be narrowed; `least` columns first. */
function truncateLong<Item>(cells: readonly string[][], columns: readonly Column<Item>[], width: number): string[][] {
  const widths = cells.map((column) => Math.max(...column.map(widthOf)));
  let excess = widthOfAll(cells) - width;
  for (; excess > 0; excess--) {
    const widest = widestOf(widths, columns, "least") ?? widestOf(widths, columns, true);
    if (widest === undefined) break;
    widths[widest]!--;
  }
  return cells.map((column, at) => column.map((text) => truncate(text, widths[at]!)));
}

/** The widest column of this kind that can be narrowed. */
function widestOf<Item>(widths: readonly number[], columns: readonly Column<Item>[], kind: Column<Item>["isLong"]): number | undefined {
  const long = widths.map((each, at) => (columns[at]!.isLong === kind ? each : 0));
  const widest = Math.max(...long);
  return widest > MIN_WIDTH ? long.lastIndexOf(widest) : undefined;
}

/** Truncates a text to a width, with an ellipsis. */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(cut + segment) >= width) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** The width in a terminal: a Chinese character takes two columns, an accent none. */
export function widthOf(text: string): number {
  return Bun.stringWidth(text);
}

/** Rows in columns as wide as their widest cell, indented. */
export function formatColumns(rows: readonly (readonly string[])[], indent = ""): string {
  const widths = widthsOf(rows);
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => cell + " ".repeat(widths[column]! - widthOf(cell)));
      return `${indent}${cells.join(GAP)}`.trimEnd() + "\n";
    })
    .join("");
}

/** Rows in columns, with the last cell wrapped to the width of the terminal. */
export function formatWrapped(rows: readonly (readonly string[])[], width: number | undefined, indent = ""): string {
  if (width === undefined) return formatColumns(rows, indent);
  const heads = rows.map((row) => row.slice(0, -1));
  const taken = widthsOf(heads).reduce((sum, each) => sum + each + GAP.length, indent.length);
  const room = Math.max(MIN_WRAP_WIDTH, width - taken);
  const lines = rows.flatMap((row, at) => {
    const [first, ...rest] = wrap(row.at(-1)!, room);
    return [[...heads[at]!, first!], ...rest.map((line) => [...heads[at]!.map(() => ""), line])];
  });
  return formatColumns(lines, indent);
}

/** The width of each column. */
export function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))));
  return widths;
}

/** Numbers aligned by their decimal points. */
export function alignPoints(amounts: readonly string[]): string[] {
  const wholes = amounts.map((amount) => amount.split(".")[0]!.length);
  const width = Math.max(0, ...wholes);
  return amounts.map((amount, at) => " ".repeat(amount === "" ? 0 : width - wholes[at]!) + amount);
}
