import { viewPriceList } from "../../../models/prices/declared-price-list.ts";
import { unknownModels, type PriceList } from "../../../models/prices/price-list.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Platform } from "../../platform.ts";
import { managedBySchema } from "../fields/managed-by.ts";
import { timeSchema } from "../fields/times.ts";
import { priceSchema } from "../models/price-view.ts";
import { accountsWith } from "./find-price-list.ts";

export const priceListSchema = {
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
      description: "Its own prices, by model and by date.",
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

export function viewListed(list: PriceList, platform: Platform) {
  return {
    ...viewPriceList(list),
    unknown_models: unknownModels(list, platform.catalog.snapshot()),
    accounts: accountsWith(list.id, platform).length,
    managed_by: platform.catalog.originOfPriceList(list.id),
  };
}
