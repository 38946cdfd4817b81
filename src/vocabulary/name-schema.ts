import type { Schema } from "./schema.ts";

/** What operators call their keys and accounts. It is shown in terminals, so nothing in it may move a cursor. */
export const nameSchema: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  pattern: "^\\P{Cc}*$",
  patternInWords: "text without control characters",
};
