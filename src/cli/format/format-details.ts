import { terminalWidth } from "../output.ts";
import { formatWrapped } from "./table.ts";

/** The fields of one resource: labels and values. */
export function formatDetails(rows: readonly (readonly string[])[]): string {
  return formatWrapped(rows, terminalWidth());
}

/** Models that do not exist: a misspelt one has no other effect. */
export function warnOfModels(unknown: readonly string[] = []): string {
  return unknown.length === 0 ? "" : `There ${unknown.length === 1 ? "is no model" : "are no models"} ${unknown.join(", ")}.\n`;
}
