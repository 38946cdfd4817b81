import type { Schema } from "../lib/schema/schema.ts";

/**
 * The syntax of an email address. 254 characters is the limit of RFC 5321 §4.5.3.1.3. Control and format characters and lone
 * surrogates are rejected, because two different addresses could look the same.
 */
export const emailSchema = {
  type: "string",
  maxLength: 254,
  pattern: "^[^\\s\\p{Cc}\\p{Cf}\\p{Cs}@]+@[^\\s\\p{Cc}\\p{Cf}\\p{Cs}@]+$",
  patternInWords: "an email address",
} as const satisfies Schema;
