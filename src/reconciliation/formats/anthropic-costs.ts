import { BillError } from "../bill-error.ts";
import type { BillFormat, BillLine, OpenFormat } from "../bill.ts";
import type { BillRow } from "../bill-row.ts";
import { NOTHING } from "../measures.ts";
import type { ZoneDays } from "../zone-days.ts";
import { requireUtc } from "./require-utc.ts";

const HALF_A_CENT_PICOS = 5_000_000_000n;

/**
 * The Claude Console's `claude_api_cost_….csv`: a record for each day, model and kind of tokens, in dollars rounded to the cent. Models
 * have display names: `Claude Haiku 4.5`.
 */
export const ANTHROPIC_COSTS: BillFormat = {
  name: "anthropic_costs",
  isIt: (columns) => columns.has("usage_date_utc") && columns.has("cost_usd"),
  open(columns): OpenFormat {
    if (!columns.has("model")) throw new BillError("is missing", 1, "model");
    return {
      columns: ["usage_date_utc", "model", "token_type", "cost_type", "cost_usd"],
      measures: () => ["cost"],
      read: readLine,
    };
  },
};

function readLine(row: BillRow, days: ZoneDays): BillLine {
  requireUtc(row, days);
  const costPicos = row.amount("cost_usd");
  const isRounded = /^-?\d+(\.\d{1,2})?$/.test(row.text("cost_usd"));
  return {
    day: row.day("usage_date_utc", days),
    model: whatIsBilled(row),
    measures: { ...NOTHING, costPicos },
    ...(isRounded && { roundedByPicos: HALF_A_CENT_PICOS }),
  };
}

/** The ID for a display name or, in brackets, an item that is billed in addition to tokens, such as searches. */
function whatIsBilled(row: BillRow): string {
  const kind = row.text("cost_type");
  if (kind !== "" && !/^tokens?$/.test(kind)) return `(${kind})`;
  const name = row.text("model");
  if (name === "") return `(${row.text("token_type") || "no model"})`;
  return name.toLowerCase().replaceAll(/[ .]+/g, "-");
}
