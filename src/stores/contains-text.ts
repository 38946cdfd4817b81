import { sql, type RawBuilder } from "kysely";

/** Whether a column contains a text, in upper or lower case as far as ASCII goes: PostgreSQL compares it as SQLite does. */
export function containsText(column: string, text: string): RawBuilder<boolean> {
  // SQL's `lower` depends on the locale of the database where its argument is no column. A NUL would end the pattern.
  const lower = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll("\0", "\uFFFD");
  const pattern = `%${lower.replaceAll(/[\\%_]/g, "\\$&")}%`;
  return sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}
