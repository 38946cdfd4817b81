import { terminalWidth } from "../output.ts";
import { formatWrapped } from "./table.ts";

/** The fields of one resource: labels and values. */
export function formatDetails(rows: readonly (readonly string[])[]): string {
  return formatWrapped(rows, terminalWidth());
}

/** A warning about model IDs that do not exist: a misspelt ID has no other visible effect. */
export function warnOfModels(unknown: readonly string[] = []): string {
  if (unknown.length === 0) return "";
  return unknown.length === 1 ? `There is no model ${unknown[0]!}.\n` : `There are no models ${unknown.join(", ")}.\n`;
}
