import { BillError } from "../bill-error.ts";
import type { BillFormat, BillLine, OpenFormat } from "../bill.ts";
import type { BillRow } from "../bill-row.ts";
import type { Measure } from "../measures.ts";
import type { ZoneDays } from "../zone-days.ts";

/** The accepted names of each column. */
const NAMES = {
  date: ["date", "day", "utc_date"],
  model: ["model", "model_name", "model_id"],
  requests: ["requests", "request_count", "num_requests"],
  /** The whole input, including cached tokens. */
  input: ["input_tokens", "prompt_tokens", "tokens_in"],
  /** Only the input that was neither read from a cache nor written to one. */
  freshInput: ["uncached_input_tokens", "fresh_input_tokens"],
  cached: ["cached_tokens", "cached_input_tokens", "cache_read_tokens", "cache_read_input_tokens"],
  cacheWrite: ["cache_write_tokens", "cache_write_input_tokens", "cache_creation_tokens", "cache_creation_input_tokens"],
  output: ["output_tokens", "completion_tokens", "tokens_out"],
  cost: ["cost", "cost_usd", "amount", "amount_usd", "total_cost"],
  currency: ["currency"],
} as const;

type Role = keyof typeof NAMES;
type ColumnByRole = Readonly<Partial<Record<Role, string>>>;

/** The plain format: `date,model,input_tokens,cached_tokens,output_tokens,cost`, in any order. Some columns may be missing. */
export const PLAIN: BillFormat = {
  name: "plain",
  isIt: () => true,
  open(columns): OpenFormat {
    const found = findColumns(columns);
    for (const role of ["date", "model"] as const) {
      if (found[role] === undefined) throw new BillError(`is missing; there are ${[...columns].join(", ").slice(0, 500)}`, 1, role);
    }
    const measures = measuresIn(found);
    if (measures.every((measure) => measure === "requests")) {
      throw new BillError("it has neither tokens nor a cost: add input_tokens, output_tokens or cost", 1);
    }
    return { columns: Object.values(found), measures: () => measures, read: (row, days) => readLine(row, days, found) };
  },
};

function findColumns(columns: ReadonlySet<string>): ColumnByRole {
  const found: Partial<Record<Role, string>> = {};
  for (const role of Object.keys(NAMES) as Role[]) {
    const [name, other] = NAMES[role].filter((each) => columns.has(each));
    if (other !== undefined) throw new BillError(`has the same meaning as column ${name}: omit one of them`, 1, other);
    if (name !== undefined) found[role] = name;
  }
  if (found.input !== undefined && found.freshInput !== undefined) delete found.input;
  return found;
}

function measuresIn(found: ColumnByRole): Measure[] {
  const all = ["requests", "cached", "cacheWrite", "output", "cost"] as const;
  const hasInput = found.input !== undefined || found.freshInput !== undefined;
  return [...all.filter((role) => found[role] !== undefined), ...(hasInput ? (["input"] as const) : [])];
}

function readLine(row: BillRow, days: ZoneDays, found: ColumnByRole): BillLine {
  const model = row.text(found.model!);
  if (model === "") row.fail(found.model!, "is empty");
  const count = (role: Role): number => (found[role] === undefined ? 0 : row.count(found[role]));
  const [cached, cacheWrite] = [count("cached"), count("cacheWrite")];
  const input = found.input === undefined ? count("freshInput") : row.count(found.input) - cached - cacheWrite;
  if (input < 0) row.fail(found.input!, "must be at least the cached part of it");
  if (found.currency !== undefined && row.text(found.currency).toLowerCase() !== "usd") {
    row.fail(found.currency, "must be usd: prices are in dollars");
  }
  return {
    day: row.day(found.date!, days),
    model,
    measures: {
      counts: { requests: count("requests"), input, cached, cacheWrite, output: count("output") },
      costPicos: found.cost === undefined ? 0n : row.amount(found.cost),
    },
  };
}
