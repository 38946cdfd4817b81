import { platformCommand } from "../../platform-command.ts";
import { terminalWidth } from "../../output.ts";
import { formatTable, type Column } from "../../table.ts";
import type { ModelView, PriceView } from "../../views.ts";
import { inRate } from "../../words.ts";

const COLUMNS: readonly Column<ModelView>[] = [
  { heading: "ID", cell: ({ id }) => id },
  { heading: "STATE", cell: ({ state }) => state },
  { heading: "PRICE", cell: ({ price }) => priceOf(price) },
  { heading: "OWNER", cell: (model) => model.owned_by, isLong: true },
  { heading: "SERVED BY", cell: ({ routes }) => routes.map((route) => `${route.upstream}/${route.model}`).join(", "), isLong: true },
  { heading: "SHUTDOWN", cell: (model) => model.shutdown_date ?? "" },
  { heading: "REPLACEMENT", cell: ({ replacement }) => replacement ?? "" },
];

export const listModels = platformCommand<{ readonly data: readonly ModelView[] }>({
  summary: "Lists the models, where each is served, and its price for a million tokens in / out.",
  examples: ["models list"],
  call: "GET /api/models",
  print: ({ data }) => formatTable(COLUMNS, data, terminalWidth()),
});

function priceOf(price: PriceView | null): string {
  if (!price) return "none: refused";
  if (price.tiers.length === 0 && ratesOf(price).every((rate) => rate === 0)) return "free";
  const more = price.tiers.length === 0 ? "" : " (tiers)";
  return `${inRate(price.input_per_million)} / ${inRate(price.output_per_million)}${more}`;
}

function ratesOf(price: PriceView): number[] {
  return [
    price.input_per_million,
    price.cached_input_per_million,
    price.cache_write_per_million,
    price.output_per_million,
    price.reasoning_per_million,
  ];
}
