import type { Compilable } from "kysely";
import type { Price } from "../../money/price.ts";
import type { Database } from "../database.ts";
import { toRow } from "./price-table.ts";

/** The statement that records a version of a price. Does nothing for a recorded version. */
export function recordPrice(database: Database, price: Price): Compilable {
  return database
    .insertInto("prices")
    .values(toRow(price))
    .onConflict((conflict) => conflict.doNothing());
}
