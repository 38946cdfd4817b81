import { formatPicos } from "../../src/money/money.ts";
import { ANTHROPIC_USAGE_HEADER, OPENAI_COST_HEADER } from "./bill-headers.ts";
import { writeCsvRecord } from "./write-csv.ts";

/** A provider's usage record for one request, or for several. */
export interface UsageRecord {
  readonly day: string;
  readonly model: string;
  readonly requests: number;
  /** Without tokens that were read from the cache or written to it. */
  readonly input: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly costPicos: bigint;
}

export type Format = "openai_usage" | "openai_costs" | "anthropic_usage" | "plain";

/** The measures that each format contains. */
export const SAYS: Readonly<Record<Format, readonly (keyof UsageRecord)[]>> = {
  openai_usage: ["requests", "input", "cached", "cacheWrite", "output"],
  openai_costs: ["input", "cached", "cacheWrite", "output", "costPicos"],
  anthropic_usage: ["input", "cached", "cacheWrite", "output"],
  plain: ["requests", "input", "cached", "cacheWrite", "output", "costPicos"],
};

/** A bill for these records in the provider's export format. */
export function writeBill(format: Format, books: readonly UsageRecord[]): string {
  const [header, records] = WRITERS[format];
  return [header, ...books.flatMap(records)].map(writeCsvRecord).join("");
}

const WRITERS: Readonly<Record<Format, readonly [header: string[], records: (booked: UsageRecord) => string[][]]>> = {
  openai_usage: [
    [
      "start_time",
      "end_time",
      "model",
      "num_model_requests",
      "input_tokens",
      "input_cached_tokens",
      "input_cache_write_tokens",
      "output_tokens",
    ],
    ({ day, model, requests, input, cached, cacheWrite, output }) => [
      [...bucket(day), model, ...[requests, input + cached + cacheWrite, cached, cacheWrite, output].map((count) => `${count}.0`)],
    ],
  ],
  openai_costs: [OPENAI_COST_HEADER.split(","), costItems],
  anthropic_usage: [
    ANTHROPIC_USAGE_HEADER.split(","),
    ({ day, model, input, cached, cacheWrite, output }) => {
      const writes = [Math.floor(cacheWrite / 3), cacheWrite - Math.floor(cacheWrite / 3)];
      return [[day, model, "a key", "Default", "standard", "≤ 200k", ...[input, ...writes, cached, output, 0].map(String), "global", ""]];
    },
  ],
  plain: [
    ["model", "date", "requests", "input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "cost", "a note"],
    ({ day, model, requests, input, cached, cacheWrite, output, costPicos }) => [
      [
        model,
        day,
        ...[requests, input + cached + cacheWrite, cached, cacheWrite, output].map(String),
        formatPicos(costPicos),
        'so, "so"\nso',
      ],
    ],
  ],
};

/** An item for each kind of tokens. One item has the complete amount, which gives the same sum. */
function costItems({ day, model, input, cached, cacheWrite, output, costPicos }: UsageRecord): string[][] {
  const items: [string, number, string][] = [
    ["input", input, formatPicos(costPicos)],
    ["cached input", cached, "0E-6176"],
    ["cache writes", cacheWrite, "0.000000000000000000000"],
    ["output", output, "0"],
  ];
  return items.map(([kind, quantity, amount]) => {
    return [...bucket(day), "", "", amount, "usd", `${quantity}.0`, "tokens", `${model}, ${kind}`, "", "key_a", "proj_a"];
  });
}

function bucket(day: string): string[] {
  const start = Date.parse(day) / 1000;
  return [String(start), String(start + 86_400)];
}
