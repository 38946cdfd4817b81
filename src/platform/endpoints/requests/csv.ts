/** One line of a CSV file, RFC 4180. */
export function toCsvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(",")}\r\n`;
}

function quote(cell: string): string {
  return /[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Spreadsheets take a cell that starts with one of these, after white space or without, for a formula; East Asian ones also in full
 * width.
 */
const FORMULA = String.raw`[^\S\t\r\n]*[=+\-@＝＋－＠]`;
const BEGINNINGS = new RegExp(String.raw`^(?=[\t\r\n]|${FORMULA})|(?<=[;\t\r\n])(?=${FORMULA})`, "g");

/**
 * Escapes untrusted text for a cell. A spreadsheet would evaluate a formula when the file is opened, so an apostrophe is put before it
 * (https://owasp.org/www-community/attacks/CSV_Injection). A spreadsheet that splits at semicolons, as many do outside of English, knows
 * quotation marks only at the start of its own cells: text after a semicolon, a tab or a line end starts a cell there.
 */
export function harmlessCell(text: string): string {
  return text.replaceAll(BEGINNINGS, "'");
}
