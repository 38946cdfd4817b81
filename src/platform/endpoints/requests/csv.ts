/** One line of a CSV file, RFC 4180. */
export function toCsvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(",")}\r\n`;
}

function quote(cell: string): string {
  return /[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Where a cell begins with one of these, after white space or without, spreadsheets take it for a formula; East Asian ones also in full width. */
const FORMULA = String.raw`[^\S\t\r\n]*[=+\-@＝＋－＠]`;
const BEGINNINGS = new RegExp(String.raw`^(?=[\t\r\n]|${FORMULA})|(?<=[;\t\r\n])(?=${FORMULA})`, "g");

/**
 * Text that somebody else chose, for a cell. A spreadsheet would carry a formula out when the file is opened, so an apostrophe is put
 * before it (https://owasp.org/www-community/attacks/CSV_Injection). One that splits at semicolons, as many do outside of English, knows
 * quotation marks only at the beginning of its own cells: what stands behind a semicolon, a tab or the end of a line begins one there.
 */
export function harmlessCell(text: string): string {
  return text.replaceAll(BEGINNINGS, "'");
}
