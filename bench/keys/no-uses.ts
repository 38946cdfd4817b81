import type { LastUsedStore } from "../../src/stores/last-used/last-used-store.ts";

/** Records nothing. The difference to the real store is the cost of recording last uses. */
export const noUses: LastUsedStore = {
  noteKey: () => undefined,
  noteModel: () => undefined,
  lastUsedTimes: () => Promise.resolve(new Map()),
  keysUsing: () => Promise.resolve([]),
};
