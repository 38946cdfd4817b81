import { operators } from "../../../access/access.ts";
import { declaredPriceListSchema, toPriceList, viewPriceList } from "../../../models/prices/declared-price-list.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { findPriceList } from "./find-price-list.ts";
import { priceListSchema, viewListed } from "./price-list-view.ts";

/** POST /api/price-lists: creates a price list, which no account has yet. */
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
