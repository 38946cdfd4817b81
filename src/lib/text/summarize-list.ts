/** Names for a message: the first ten, and how many more there are. */
export function summarizeList(names: readonly string[]): string {
  return `${names.slice(0, 10).join(", ")}${names.length > 10 ? ` and ${names.length - 10} more` : ""}`;
}
