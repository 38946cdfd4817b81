/** Rows under headings, in columns as wide as their widest cell. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return formatColumns([headings, ...rows]);
}

/** Rows in columns as wide as their widest cell, each behind an indent. */
export function formatColumns(rows: readonly (readonly string[])[], indent = ""): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => cell.padEnd(widths[column]!));
      return `${indent}${cells.join("  ")}`.trimEnd() + "\n";
    })
    .join("");
}

/** Numbers with their decimal points in one column, however many decimals they have. */
export function alignPoints(amounts: readonly string[]): string[] {
  const wholes = amounts.map((amount) => amount.split(".")[0]!.length);
  const width = Math.max(0, ...wholes);
  return amounts.map((amount, at) => " ".repeat(amount === "" ? 0 : width - wholes[at]!) + amount);
}
