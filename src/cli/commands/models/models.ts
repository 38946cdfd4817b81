import type { Model, ModelKey } from "../../../../platform-client/types.ts";
import { changeCommand } from "../../change-command.ts";
import type { Operand } from "../../command.ts";
import { formatTime } from "../../format-values.ts";
import { listCommand } from "../../list-command.ts";
import { choice, required, text } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import { describeModel, describeRoutes, summarizePrice } from "./format-model.ts";
import { MODEL_OPTIONS, ROUTE, withoutEmptyCache } from "./options.ts";

export const MODEL: Operand = { name: "MODEL", meaning: "the model's id, as models list shows it" };

export const listModels = listCommand<Model>({
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
    { heading: "PRICE", cell: ({ price }) => summarizePrice(price) },
    { heading: "OWNER", cell: (model) => model.owned_by, isLong: true },
    { heading: "SERVED BY", cell: describeRoutes, isLong: true },
    { heading: "SHUTDOWN", cell: (model) => model.shutdown_date ?? "" },
    { heading: "REPLACEMENT", cell: ({ replacement }) => replacement ?? "" },
  ],
});

export const showModel = platformCommand<Model>({
  summary: "Shows a model: its state, its prices, where it is served.",
  examples: ["models show echo"],
  operands: [MODEL],
  call: "GET /api/models/{id}",
  print: describeModel,
});

export const createModel = platformCommand<Model>({
  summary: "Makes a model, which can be called from the next request on, and announces it.",
  details: `Without a price it has the one that its provider publishes, if that is known. A model without any price cannot be
called: what costs money is never free by mistake.`,
  examples: [
    "models create fast-chat --route our-openai/gpt-4o-mini",
    "models create safe-chat --route our-openai/gpt-4o,weight=3 --route azure/gpt-4o --route our-groq/llama-3.3-70b-versatile,priority=2",
    "models create house-model --route gpu-box/llama3.2 --input-price 0.10 --output-price 0.40 --context-window 128000",
    "models create tryout --route gpu-box/llama3.2 --free yes --capabilities tools,json_schema",
  ],
  operands: [{ name: "MODEL", field: "id", meaning: "its id: what callers put into model" }],
  options: { ...MODEL_OPTIONS, route: required(ROUTE, "say where it is served: --route our-openai/gpt-4o-mini") },
  call: "POST /api/models",
  complete: withoutEmptyCache,
  print: describeModel,
});

export const updateModel = changeCommand<Model>({
  summary: "Changes what is given of a model, from the next request on.",
  details: `A price replaces the one before as a whole, and so do routes and parameters. Receipts keep the price that they were reckoned with. What the config file or
the environment declares cannot be changed here.`,
  examples: [
    "models update fast-chat --route azure/gpt-4o-mini",
    "models update fast-chat --input-price 0.15 --output-price 0.60 --cached-input-price 0.075",
    "models update fast-chat --input-price 0.20 --output-price 0.80 --preview",
    "models update fast-chat --parameter logprobs=drop --cache-ttl 24h --cache-price 10 --total-ms 120000",
    "models update old-chat --shutdown-date 2027-06-30 --replacement fast-chat",
  ],
  operands: [MODEL],
  options: {
    ...MODEL_OPTIONS,
    "shutdown-date": text("shutdown_date", "of a deprecated model: another day, which is announced", "DAY"),
    replacement: text("replacement", "of a deprecated model: another one to use instead, which is announced", "MODEL"),
  },
  call: "PATCH /api/models/{id}",
  complete: withoutEmptyCache,
  print: describeModel,
});

export const deprecateModel = changeCommand<Model>({
  summary: "Announces that an available model will be retired, when, and what to use instead. It keeps working.",
  details: "models keys lists who still uses it. There is no way back to available.",
  examples: ["models deprecate old-chat --shutdown-date 2027-06-30 --replacement fast-chat"],
  operands: [MODEL],
  options: {
    "shutdown-date": required(
      text("shutdown_date", "the day on which it is meant to be retired", "DAY"),
      "say when it will be retired: --shutdown-date 2027-06-30",
    ),
    replacement: required(
      text("replacement", "an available model to use instead", "MODEL"),
      "say what to use instead: --replacement fast-chat",
    ),
  },
  call: "POST /api/models/{id}/deprecate",
  print: describeModel,
});

export const retireModel = changeCommand<Model>({
  summary: "Ends a deprecated model for good, from the next request on. Its replacement must be available.",
  details: "Answers under way are finished. It leaves the model list, and whoever calls it is told what to use instead.",
  examples: ["models retire old-chat --preview", "models retire old-chat"],
  operands: [MODEL],
  call: "POST /api/models/{id}/retire",
  print: describeModel,
});

export const listModelKeys = listCommand<ModelKey>({
  summary: "Lists the keys that still use a model: whom its end will meet.",
  examples: ["models keys echo", "models keys echo --since 2027-01-01 --account default"],
  operands: [MODEL],
  options: {
    account: text("account", "those of one account", "ACCOUNT"),
    since: text("since", "those that have used it since this moment, such as 2027-01-31; 30 days ago, if not given", "WHEN"),
  },
  call: "GET /api/models/{id}/keys",
  columns: [
    { heading: "KEY", cell: ({ key }) => key },
    { heading: "LAST USED (UTC)", cell: (use) => formatTime(use.last_used_at) },
    { heading: "REQUESTS", cell: ({ requests }) => requests.toLocaleString("en-US"), align: "right" },
    { heading: "ACCOUNT", cell: ({ account }) => account, isLong: true },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});
