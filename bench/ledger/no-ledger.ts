import type { LedgerStore } from "../../src/stores/ledger/ledger-store.ts";
import type { HoldEntry, SettleEntry } from "../../src/money/ledger-entry.ts";

/** A ledger that admits everything and stores nothing. The difference to the real one is the cost of the ledger. */
export function noLedger(): LedgerStore {
  const holds = new Map<string, HoldEntry>();
  const nothing = { creditNanos: 10n ** 18n, heldNanos: 0n, dayNanos: 0n, monthNanos: 0n, totalNanos: 0n };
  return {
    balanceOf: () => nothing,
    spendingOf: () => nothing,
    ensureCounted: () => undefined,
    leases: undefined,
    hold: async (hold) => void holds.set(hold.requestId, { kind: "hold", id: 1, ...hold }),
    watch: () => undefined,
    async settle(requestId, settlement) {
      const hold = holds.get(requestId)!;
      holds.delete(requestId);
      const entry: SettleEntry = {
        ...hold,
        ...settlement,
        kind: "settle",
        holdId: 1,
        amountNanos: settlement.costNanos,
        unchargedNanos: 0n,
      };
      return entry;
    },
    release: (requestId) => void holds.delete(requestId),
    findReply: async () => undefined,
    state: unused,
  };
}

function unused(): never {
  throw new Error("not on the path of a request");
}
