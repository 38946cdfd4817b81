import { terminalWidth } from "../output.ts";
import { formatWrapped } from "./table.ts";

/** The fields of one resource: labels and values. */
export function formatDetails(rows: readonly (readonly string[])[]): string {
  return formatWrapped(rows, terminalWidth());
}
