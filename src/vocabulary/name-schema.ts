import type { Schema } from "./schema.ts";

/**
 * What people call themselves, their keys and accounts. It is shown in terminals, beside what others have named, so nothing in it
 * may move a cursor, begin a line, or turn the direction of what follows. Half of a surrogate pair could not be kept as it is.
 */
export const nameSchema: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  pattern: "^[^\\p{Cc}\\p{Cs}\\u2028\\u2029\\u202A-\\u202E\\u2066-\\u2069]*$",
  patternInWords: "text without control characters",
};
