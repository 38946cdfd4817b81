import type { PriceList } from "../../../models/prices/price-list.ts";
import type { Platform } from "../../platform.ts";
import { refuseForeign } from "../fields/managed-by.ts";
import { unknownId } from "../fields/unknown-id.ts";

export function findPriceList(id: string, { catalog }: Platform): PriceList {
  const list = catalog.priceLists().get(id);
  if (list) return list;
  throw unknownId("unknown_price_list", "price list", id);
}

/** A price list that operators may change through the API. */
export function findOwnPriceList(id: string, platform: Platform): PriceList {
  const list = findPriceList(id, platform);
  refuseForeign("price_list", id, platform.catalog.originOfPriceList(id), platform);
  return list;
}

/** The ids of the accounts that have a price list. */
export function accountsWith(id: string, { accounts }: Platform): string[] {
  return accounts.ids().filter((accountId) => accounts.find(accountId)?.priceList === id);
}
