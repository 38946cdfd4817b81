import type { Model, ModelKey } from "../../../../platform-client/types.ts";
import { changeCommand } from "../../change-command.ts";
import type { Operand } from "../../command.ts";
import { formatNumber, formatTime } from "../../format/format-values.ts";
import { listCommand } from "../../list-command.ts";
import { listOptions } from "../../list-options.ts";
import { choice, day, keyId, momentAgo, required, text } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import { MODEL_KINDS } from "../../../models/catalog.ts";
import { describeModel, describeRoutes, summarizePrice } from "./format-model.ts";
import { MODEL_OPTIONS, ROUTE, completeModel } from "./options.ts";

export const MODEL: Operand = { name: "MODEL", meaning: "model ID, as shown by models list" };

export const listModels = listCommand<Model>({
  summary: "List models with their prices per million tokens (input / output) and their routes.",
  examples: ["models list", "models list --state deprecated", "models list --search gpt", "models list --key 4fQ8sLm2XyZ1"],
  options: {
    state: choice("state", ["available", "deprecated", "retired"], "only models in this state"),
    kind: choice("kind", MODEL_KINDS, "only models of this kind"),
    search: text("search", "only models whose ID contains this text"),
    key: keyId("key", "only models that this key may call, by key ID"),
    ...listOptions("models", ["id", "owned_by", "created"]),
  },
  call: "GET /api/models",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "STATE", cell: ({ state }) => state },
    { heading: "PRICE", cell: summarizePrice },
    { heading: "OWNER", cell: (model) => model.owned_by, isSpare: true },
    { heading: "UPSTREAM/MODEL", cell: describeRoutes, isLong: true },
    { heading: "SHUTDOWN", cell: (model) => model.shutdown_date ?? "" },
    { heading: "REPLACEMENT", cell: ({ replacement }) => replacement ?? "" },
  ],
});

export const showModel = platformCommand<Model>({
  summary: "Show a model: state, routes, prices and capabilities.",
  examples: ["models show echo"],
  operands: [MODEL],
  call: "GET /api/models/{id}",
  print: describeModel,
});

export const createModel = platformCommand<Model>({
  summary: "Create a model and announce it. It is available from the next request.",
  details: `Without a price, the model has its provider's list price, if that is known. Requests for a model without any price are rejected, so that
no paid model is free by mistake.`,
  examples: [
    "models create fast-chat --route our-openai/gpt-4o-mini",
    "models create safe-chat --route our-openai/gpt-4o,weight=3 --route azure/gpt-4o --route our-groq/llama-3.3-70b-versatile,priority=2",
    "models create house-model --route gpu-box/llama3.2 --input-price 0.10 --output-price 0.40 --context-window 128000",
    "models create tryout --route gpu-box/llama3.2 --free yes --capabilities tools,json_schema",
  ],
  operands: [{ name: "MODEL", field: "id", meaning: "model ID: the value of model in requests" }],
  options: { ...MODEL_OPTIONS, route: required(ROUTE, "give at least one route: --route our-openai/gpt-4o-mini") },
  call: "POST /api/models",
  complete: completeModel,
  print: describeModel,
});

export const updateModel = changeCommand<Model>({
  summary: "Update a model.",
  details: `The change applies from the next request. A new price, list of routes or list of parameters replaces the old one completely. Receipts keep
the price that applied at the time. Models from the config file or the environment cannot be changed here.`,
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
    "shutdown-date": day("shutdown_date", "new shutdown date of a deprecated model, which is announced"),
    replacement: text("replacement", "new replacement of a deprecated model, which is announced", "MODEL"),
  },
  call: "PATCH /api/models/{id}",
  complete: completeModel,
  print: describeModel,
});

export const deprecateModel = changeCommand<Model>({
  summary: "Deprecate a model: announce its shutdown date and replacement. It keeps working.",
  details: "models keys lists the keys that still use it. A deprecation cannot be undone.",
  examples: [
    "models deprecate old-chat --shutdown-date 2027-06-30 --replacement fast-chat",
    "models deprecate old-chat --shutdown-date 90d --replacement fast-chat --preview",
  ],
  operands: [MODEL],
  options: {
    "shutdown-date": required(day("shutdown_date", "planned day of retirement"), "give a shutdown date: --shutdown-date 2027-06-30"),
    replacement: required(text("replacement", "available model to use instead", "MODEL"), "name a replacement: --replacement fast-chat"),
  },
  call: "POST /api/models/{id}/deprecate",
  print: describeModel,
});

export const retireModel = changeCommand<Model>({
  summary: "Retire a deprecated model permanently, from the next request.",
  details:
    "In-flight requests are finished. The model leaves the model list, and further requests are rejected with the name of its replacement, which must be available.",
  examples: ["models retire old-chat --preview", "models retire old-chat"],
  operands: [MODEL],
  call: "POST /api/models/{id}/retire",
  print: describeModel,
});

export const cloneModel = platformCommand<Model>({
  summary: "Create a model with the routes, prices and settings of another.",
  details: "The other may be in the config file. The new model is available from the next request, and is announced.",
  examples: ["models clone fast-chat fast-chat-eu"],
  operands: [MODEL, { name: "NEW_ID", field: "id", meaning: "ID of the new model" }],
  call: "POST /api/models/{id}/clone",
  print: describeModel,
});

export const archiveModel = platformCommand<Model>({
  summary: "Archive a retired model: hide it from lists.",
  examples: ["models archive old-chat"],
  operands: [MODEL],
  sets: { archived: true },
  call: "PATCH /api/models/{id}",
  print: ({ id }) => `Archived model ${id}.\n`,
});

export const restoreModel = platformCommand<Model>({
  summary: "Show an archived model in lists again. It stays retired.",
  examples: ["models restore old-chat"],
  operands: [MODEL],
  sets: { archived: false },
  call: "PATCH /api/models/{id}",
  print: ({ id }) => `Restored model ${id}.\n`,
});

export const removeModel = platformCommand<Model>({
  summary: "Remove a model that was never called and that nothing names.",
  details:
    "A model that was called stays, because ledger entries refer to it: deprecate and retire it. Its announcements stay in any case.",
  examples: ["models remove fsat-chat"],
  operands: [MODEL],
  call: "DELETE /api/models/{id}",
  print: ({ id }) => `Removed model ${id}.\n`,
});

export const listModelKeys = listCommand<ModelKey>({
  summary: "List the keys that have used a model recently.",
  examples: ["models keys echo", "models keys echo --since 2027-01-01 --account default"],
  operands: [MODEL],
  options: {
    account: text("account", "only keys of this account", "ACCOUNT"),
    since: momentAgo("since", "start of the range: 7d, or 2027-01-31 (default: 30 days ago)"),
  },
  call: "GET /api/models/{id}/keys",
  columns: [
    { heading: "KEY", cell: ({ key }) => key },
    { heading: "LAST USED (UTC)", cell: (use) => formatTime(use.last_used_at) },
    { heading: "REQUESTS", cell: ({ requests }) => formatNumber(requests), align: "right" },
    { heading: "ACCOUNT", cell: ({ account }) => account, isLong: true },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});
