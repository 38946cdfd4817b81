import type { Schema } from "./schema.ts";

/**
 * Control characters (C0, DEL, C1), the line and paragraph separators of Unicode, and what turns the direction of text around. A
 * terminal obeys them, and they let one name look like another. Half of a surrogate pair cannot be stored as it is.
 */
const UNPRINTABLE = "\\p{Cc}\\p{Cs}\\u2028\\u2029\\u202A-\\u202E\\u2066-\\u2069";

/** User-chosen text that is shown in headers, logs, terminals and the console. Every such request field uses it. */
export const plainTextSchema: Schema = {
  type: "string",
  pattern: `^[^${UNPRINTABLE}]*$`,
  patternInWords: "text without control characters",
};

const EACH_UNPRINTABLE = new RegExp(`[${UNPRINTABLE}]`, "gu");

/** The same text with something harmless in the place of each character that a terminal would obey. */
export function replaceUnprintable(text: string, by: string): string {
  return text.replaceAll(EACH_UNPRINTABLE, by);
}
