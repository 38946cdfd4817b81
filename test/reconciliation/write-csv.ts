/** A CSV record by RFC 4180. */
export function writeCsvRecord(cells: readonly string[]): string {
  const written = cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${written.length === 1 && written[0] === "" ? '""' : written.join(",")}\r\n`;
}
