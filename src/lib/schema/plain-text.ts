import type { Schema } from "./schema.ts";

/**
 * Control characters (C0, DEL, C1), the line and paragraph separators of Unicode, and bidirectional controls. Terminals interpret them,
 * and they make one name look like another. Lone surrogates cannot be stored unchanged.
 */
const UNPRINTABLE = "\\p{Cc}\\p{Cs}\\u2028\\u2029\\u202A-\\u202E\\u2066-\\u2069";

/** User-chosen text that is shown in headers, logs, terminals and the console. Every such request field uses it. */
export const plainTextSchema = {
  type: "string",
  pattern: `^[^${UNPRINTABLE}]*$`,
  patternInWords: "text without control characters",
} as const satisfies Schema;

const EACH_UNPRINTABLE = new RegExp(`[${UNPRINTABLE}]`, "gu");

/** The same text with each control character replaced, for terminals. */
export function replaceUnprintable(text: string, by: string): string {
  return text.replaceAll(EACH_UNPRINTABLE, by);
}
