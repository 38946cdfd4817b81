import type { Schema } from "./schema.ts";

/** A text in a reply. */
export const textSchema = (description: string) => ({ type: "string", description }) as const;
export const textOrNullSchema = (description: string) => ({ type: "string", nullable: true, description }) as const;

export const daySchema = {
  type: "string",
  pattern: "^\\d{4}-\\d{2}-\\d{2}$",
  patternInWords: "a day such as 2027-01-31",
} as const satisfies Schema;
