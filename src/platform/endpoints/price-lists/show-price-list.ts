import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findPriceList } from "./find-price-list.ts";
import { priceListSchema, viewListed } from "./price-list-view.ts";

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
