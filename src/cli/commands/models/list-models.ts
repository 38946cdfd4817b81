import { listCommand } from "../../list-command.ts";
import { choice, text } from "../../options.ts";
import type { ModelView } from "../../views.ts";
import { describeRoutes, priceInShort } from "./model-words.ts";

export const listModels = listCommand<ModelView>({
  summary: "Lists the models, where each is served, and its price for a million tokens in / out.",
  examples: ["models list", "models list --state deprecated", "models list --search gpt", "models list --key 4fQ8sLm2XyZ1"],
  options: {
    state: choice("state", ["available", "deprecated", "retired"], "those in this state"),
    search: text("search", "those whose id has this in it"),
    key: text("key", "those that this key may call, by its id", "ID"),
  },
  call: "GET /api/models",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "STATE", cell: ({ state }) => state },
    { heading: "PRICE", cell: ({ price }) => priceInShort(price) },
    { heading: "OWNER", cell: (model) => model.owned_by, isLong: true },
    { heading: "SERVED BY", cell: describeRoutes, isLong: true },
    { heading: "SHUTDOWN", cell: (model) => model.shutdown_date ?? "" },
    { heading: "REPLACEMENT", cell: ({ replacement }) => replacement ?? "" },
  ],
});
