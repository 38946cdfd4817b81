import { openStores } from "../../../src/stores/open-stores.ts";
import type { StoreOptions, Stores } from "../../../src/stores/stores.ts";

/** How tests open the stores, except for the folder. */
export const STORE_OPTIONS: Omit<StoreOptions, "dataFolder"> = {
  durability: "process",
  secret: undefined,
  oldSecret: undefined,
  defaultPrices: () => [],
  nowMs: Date.now,
  reportLedger: () => undefined,
  requestLog: {
    days: 0,
    maxBytes: 0,
    redactSecrets: (text) => text,
    redact: undefined,
    reportHook: () => undefined,
    report: () => undefined,
    reportDamaged: () => undefined,
  },
};

export function openStoresIn(dataFolder: string): Promise<Stores> {
  return openStores({ ...STORE_OPTIONS, dataFolder });
}
