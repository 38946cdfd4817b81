import { loadConfig } from "../../config.ts";
import type { Command } from "../command.ts";
import { callPlatform } from "../platform-client.ts";
import { formatTable } from "../table.ts";
import type { ModelView, PriceView } from "../views.ts";
import { inRate } from "../words.ts";

export const listModels: Command = {
  summary: "Lists the models, where each is served, and its price for a million tokens in / out.",
  options: {},
  operands: [],
  async run({ json }) {
    const answer = await callPlatform<{ data: ModelView[] }>(await loadConfig(), "GET", "/api/models");
    const rows = answer.data.map((model) => [
      model.id,
      model.state,
      priceOf(model.price),
      model.owned_by,
      model.routes.map((route) => `${route.upstream}/${route.model}`).join(", "),
      model.shutdown_date ?? "",
      model.replacement ?? "",
    ]);
    const headings = ["ID", "STATE", "PRICE", "OWNER", "SERVED BY", "SHUTDOWN", "REPLACEMENT"];
    process.stdout.write(json ? `${JSON.stringify(answer)}\n` : formatTable(headings, rows));
  },
};

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
