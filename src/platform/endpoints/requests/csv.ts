/** One line of a CSV file, RFC 4180. */
export function toCsvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(",")}\r\n`;
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Text that somebody else chose, for a cell. A spreadsheet would take what begins like this for a formula, and carry it out when the
 * file is opened, so an apostrophe is put before it.
 */
export function harmlessCell(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}
