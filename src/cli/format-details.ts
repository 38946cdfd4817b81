import { terminalWidth } from "./output.ts";
import { formatWrapped } from "./table.ts";

/** What there is to know of one thing: names, and what is so. */
export function formatDetails(rows: readonly (readonly string[])[]): string {
  return formatWrapped(rows, terminalWidth());
}
