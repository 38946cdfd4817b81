import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { priceListSchema, viewListed } from "./price-list-view.ts";

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
