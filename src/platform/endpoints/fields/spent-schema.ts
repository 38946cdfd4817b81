import type { Schema } from "../../../lib/schema/schema.ts";

export const spentSchema = {
  title: "Spent",
  type: "object",
  description: "Total charges in dollars: this calendar day and month (UTC), and overall.",
  required: ["day", "month", "total"],
  properties: { day: { type: "string" }, month: { type: "string" }, total: { type: "string" } },
} as const satisfies Schema;
