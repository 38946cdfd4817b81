import type { Schema } from "../lib/schema/schema.ts";

/**
 * An email address, as far as one can tell without writing to it. 254 characters is the limit of RFC 5321 §4.5.3.1.3. What cannot
 * be seen, or not be kept, would let two look like one.
 */
export const emailSchema: Schema = {
  type: "string",
  maxLength: 254,
  pattern: "^[^\\s\\p{Cc}\\p{Cf}\\p{Cs}@]+@[^\\s\\p{Cc}\\p{Cf}\\p{Cs}@]+$",
  patternInWords: "an email address",
};
