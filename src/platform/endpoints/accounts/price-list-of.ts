import { ApiError } from "../../../requests/api-error.ts";
import type { Platform } from "../../platform.ts";

/** The price list that a request sets for an account, which must exist. */
export function readPriceList(id: string | null, { catalog }: Platform): string | null {
  if (id === null || catalog.priceLists().has(id)) return id;
  throw new ApiError("invalid_value", `price_list names ${JSON.stringify(id)}, and there is no such price list.`, {
    param: "price_list",
  });
}
