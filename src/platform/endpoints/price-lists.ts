import { type PriceList, unknownModels } from "../../models/prices/price-list.ts";
import type { Platform } from "../platform.ts";
import { refuseManagedElsewhere, unknownId, managedBySchema, timeSchema, refuseField } from "./fields.ts";
import {
  viewPriceList,
  declaredPriceListSchema,
  toPriceList,
  priceListFields,
  type DeclaredPriceList,
} from "../../models/prices/declared-price-list.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { priceSchema } from "./model-view.ts";
import { operators } from "../../access/access.ts";
import { ApiError } from "../../requests/api-error.ts";
import { operation, type Operation, type ReadOnlyCall } from "../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../paging.ts";
import type { Infer } from "../../lib/schema/infer.ts";
import { withoutNulls } from "../../lib/schema/without-nulls.ts";
import { previewChange } from "../preview/change-preview.ts";
import { simulateListChange } from "../preview/simulate-list-change.ts";
import { summarizeList } from "../../lib/text/summarize-list.ts";

function findPriceList(id: string, { catalog }: Platform): PriceList {
  const list = catalog.priceLists().get(id);
  if (list) return list;
  throw unknownId("unknown_price_list", "price list", id);
}

/** A price list that operators may change through the API. */
function findOwnPriceList(id: string, platform: Platform): PriceList {
  const list = findPriceList(id, platform);
  refuseManagedElsewhere("price_list", id, platform.catalog.originOfPriceList(id), platform);
  return list;
}

/** The IDs of the accounts that have a price list. */
function accountsWith(id: string, { accounts }: Platform): string[] {
  return accounts.ids().filter((accountId) => accounts.find(accountId)?.priceList === id);
}

const priceListSchema = {
  title: "PriceList",
  type: "object",
  required: ["id", "name", "percents", "models", "unknown_models", "accounts", "managed_by"],
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    percents: {
      type: "array",
      description: "By date: the price of models that the list does not name, in percent of their base price.",
      items: {
        title: "DatedPercent",
        type: "object",
        required: ["percent", "effective_at"],
        properties: { percent: { type: "integer" }, effective_at: timeSchema },
      },
    },
    models: {
      type: "object",
      additionalProperties: { type: "array", items: priceSchema },
      description: "Price overrides, by model and by date.",
    },
    unknown_models: {
      type: "array",
      items: { type: "string" },
      description: "Models that it has prices for and that do not exist. They may be misspelt, or be added later.",
    },
    accounts: { type: "integer", description: "The number of accounts that have it." },
    managed_by: { ...managedBySchema, enum: ["operator", "file"] },
  },
} as const satisfies Schema;

function viewListed(list: PriceList, platform: Platform) {
  return {
    ...viewPriceList(list),
    unknown_models: unknownModels(list, platform.catalog.snapshot()),
    accounts: accountsWith(list.id, platform).length,
    managed_by: platform.catalog.originOfPriceList(list.id),
  };
}

/** POST /api/price-lists: creates a price list. No account has it yet. */
export function createPriceList(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/price-lists",
    access: operators("models:write"),
    operationId: "createPriceList",
    summary: "Create a price list. No account has it yet.",
    body: { ...declaredPriceListSchema, title: "CreatePriceListRequest" },
    reply: { status: 201, description: "The price list.", json: priceListSchema },
    async run({ body, change }) {
      const list = toPriceList(body, refuseField);
      const { id } = list;
      await platform.catalog.updatePriceList(id, () => {
        if (platform.catalog.priceLists().has(id)) {
          throw new ApiError("already_exists", `The price list ${id} already exists.`, { param: "id" });
        }
        const what = { before: null, after: viewPriceList(list) };
        return { record: body, change: change("price_list.create", { kind: "price_list", id }, what) };
      });
      return viewListed(list, platform);
    },
    showCreated: (id) => viewListed(findPriceList(id, platform), platform),
  });
}

/** GET /api/price-lists: a page of price lists by id. */
export function listPriceLists(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/price-lists",
    access: operators("models:read"),
    operationId: "listPriceLists",
    summary: "List price lists by id",
    query: pageQuery,
    reply: { status: 200, description: "A page of price lists.", json: pageSchema("PriceListPage", priceListSchema) },
    run({ query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["string"]);
      const lists = [...platform.catalog.priceLists().values()]
        .filter(({ id }) => after === undefined || id > after[0])
        .toSorted((a, b) => (a.id < b.id ? -1 : 1));
      return toPage(
        cursors,
        lists,
        limit,
        (list) => viewListed(list, platform),
        ({ id }) => [id],
      );
    },
  });
}

/** GET /api/price-lists/:id */
export function showPriceList(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/price-lists/:id",
    access: operators("models:read"),
    operationId: "showPriceList",
    summary: "Show a price list",
    reply: { status: 200, description: "The price list.", json: priceListSchema },
    run: ({ param }) => viewListed(findPriceList(param("id"), platform), platform),
  });
}

const requestSchema = {
  title: "UpdatePriceListRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    ...priceListFields,
    models: { ...priceListFields.models, description: `${priceListFields.models.description} All of them are replaced.` },
    set_models: {
      ...priceListFields.models,
      additionalProperties: { ...priceListFields.models.additionalProperties, title: "SetModelInput", nullable: true },
      description:
        "Price overrides of these models; overrides of other models stay. Null removes the override of a model. Not together with `models`.",
    },
  },
} as const satisfies Schema;

type PriceListChanges = Infer<typeof requestSchema>;

/** PATCH /api/price-lists/:id: updates the given fields. Takes effect with the next request, or on the dates in the list. */
export function updatePriceList(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/price-lists/:id",
    access: operators("models:write"),
    operationId: "updatePriceList",
    summary: "Update a price list. Only the given fields change. Past ledger entries keep their price version.",
    body: requestSchema,
    reply: { status: 200, description: "The updated price list.", json: priceListSchema },
    async run(call) {
      const id = call.param("id");
      await platform.catalog.updatePriceList(id, () => {
        const { before, after, declared } = readChange(call, platform);
        const what = { before: viewPriceList(before), after: viewPriceList(after) };
        return { record: declared, change: call.change("price_list.update", { kind: "price_list", id }, what) };
      });
      return viewListed(findOwnPriceList(id, platform), platform);
    },
    preview(call) {
      const { before, after } = readChange(call, platform);
      return previewChange(simulateListChange(before, after, accountsWith(before.id, platform), platform), call, platform);
    },
  });
}

interface ListChange {
  readonly before: PriceList;
  readonly after: PriceList;
  readonly declared: DeclaredPriceList;
}

/** There are two ways to declare percentages. The given one replaces the other. */
function readChange({ body, param }: ReadOnlyCall<PriceListChanges>, platform: Platform): ListChange {
  const before = findOwnPriceList(param("id"), platform);
  const { set_models: set, ...changes } = body;
  if (set && changes.models) refuseField(["set_models"], "cannot be combined with models");
  const { percent, percents, ...rest } = platform.catalog.declaredPriceList(before.id)!;
  const isNew = body.percent !== undefined || body.percents !== undefined;
  const kept = { ...(percent !== undefined && { percent }), ...(percents && { percents }) };
  const models = set && { models: { ...rest.models, ...set } };
  const declared = withoutNulls({ ...rest, ...(isNew ? {} : kept), ...changes, ...models }) as DeclaredPriceList;
  return { before, declared, after: toPriceList(declared, refuseField) };
}

/** DELETE /api/price-lists/:id: removes a price list that no account has. Receipts of earlier requests still name it. */
export function removePriceList(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/price-lists/:id",
    access: operators("models:write"),
    operationId: "removePriceList",
    summary: "Remove a price list that no account has",
    reply: { status: 200, description: "The removed price list.", json: priceListSchema },
    async run({ param, change }) {
      const id = param("id");
      const { removed } = await platform.catalog.removePriceList(id, () => {
        const list = findOwnPriceList(id, platform);
        refuseInUse(id, accountsWith(id, platform));
        const what = { before: viewPriceList(list), after: null };
        return { removed: viewListed(list, platform), change: change("price_list.remove", { kind: "price_list", id }, what) };
      });
      return removed;
    },
  });
}

function refuseInUse(id: string, accounts: readonly string[]): void {
  if (accounts.length === 0) return;
  const message = `The price list ${id} is assigned to ${summarizeList(accounts)}. Give each another price list, or none, first.`;
  throw new ApiError("still_in_use", message);
}
