import { operators } from "../../../access/access.ts";
import { summarizeList } from "../../../lib/text/summarize-list.ts";
import { viewPriceList } from "../../../models/prices/declared-price-list.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { accountsWith, findOwnPriceList } from "./find-price-list.ts";
import { priceListSchema, viewListed } from "./price-list-view.ts";

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
  const message = `The price list ${id} is that of ${summarizeList(accounts)}. Give each another price list, or none, first.`;
  throw new ApiError("still_in_use", message);
}
