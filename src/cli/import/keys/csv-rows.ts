import { CommandFailed } from "../../command.ts";
import type { Row } from "./row-values.ts";

/** A quoted cell, with quotes doubled inside, or a plain cell; then its terminator. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/** Parses a table that a database has exported as CSV, with the column names in the first line. Empty cells without quotes are null. */
export function readCsvRows(text: string, path: string): readonly Row[] {
  const [names, ...rows] = [...readRecords(text.replace(/^\uFEFF/, ""), path)];
  return rows.map((cells, at) => {
    if (cells.length !== names!.length)
      throw new CommandFailed(`${path}: row ${at + 1} has ${cells.length} cells instead of ${names!.length}`);
    return Object.fromEntries(cells.map((cell, column) => [names![column], cell]));
  });
}

function* readRecords(text: string, path: string): Generator<(string | null)[]> {
  let cells: (string | null)[] = [];
  for (CELL.lastIndex = 0; CELL.lastIndex < text.length;) {
    const at = CELL.lastIndex;
    const [, quoted, plain, end] = CELL.exec(text) ?? [];
    if (end === undefined) throw new CommandFailed(`${path} is not valid CSV: see character ${at + 1}`);
    cells.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    if (cells.length > 1 || cells[0] !== null) yield cells;
    cells = [];
  }
}
