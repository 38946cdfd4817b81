import type { Schema } from "../../../lib/schema/schema.ts";

export const spentSchema: Schema = {
  title: "Spent",
  type: "object",
  description: "What was charged so far, in dollars, by the calendar in UTC.",
  required: ["day", "month", "total"],
  properties: { day: { type: "string" }, month: { type: "string" }, total: { type: "string" } },
};
