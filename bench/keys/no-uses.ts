import type { LastUsedStore } from "../../src/stores/last-used/last-used-store.ts";

/** Notes nothing: what a request costs less with it is what noting costs. */
export const noUses: LastUsedStore = {
  noteKey: () => undefined,
  noteModel: () => undefined,
  lastUsedTimes: () => Promise.resolve(new Map()),
  keysUsing: () => Promise.resolve([]),
};
