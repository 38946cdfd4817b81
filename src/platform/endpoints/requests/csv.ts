/** One line of a CSV file, RFC 4180. */
export function toCsvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(",")}\r\n`;
}

function quote(cell: string): string {
  return /[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Text that somebody else chose, for a cell. A spreadsheet would take what begins like this for a formula, and carry it out when the
 * file is opened, so an apostrophe is put before it. One that splits at semicolons, as many do outside of English, knows quotation marks
 * only at the beginning of its own cells: what stands behind a semicolon, a tab or the end of a line begins one there.
 */
export function harmlessCell(text: string): string {
  return text.replaceAll(/^(?=[=+\-@\t\r\n])|(?<=[;\t\r\n])(?=[=+\-@])/g, "'");
}
