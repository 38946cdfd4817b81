import type { HoldEntry } from "../../../money/ledger-entry.ts";
import type { Progress, Settlement } from "../ledger-store.ts";

/** Adds the entry that closes a hold. */
interface ClosingEntries {
  settle(hold: HoldEntry, settlement: Settlement): void;
  release(hold: HoldEntry, reason: string, atMs: number): void;
}

/**
 * Crash recovery: closes the holds that a crash left open. A request with recorded progress is charged for it, up to its hold; the other
 * requests are released. No caller received a complete response for any of them, because that takes a durable settlement.
 */
export function closeOrphans(
  holds: Iterable<HoldEntry>,
  known: ReadonlyMap<string, Progress>,
  nowMs: number,
  closing: ClosingEntries,
): void {
  for (const hold of holds) {
    const progress = known.get(hold.requestId);
    const orphan = { ...hold, actor: "recovery" };
    const reason = `the gateway ended ${progress ? "in the middle of the answer" : "before the answer did"}`;
    if (!progress) closing.release(orphan, reason, nowMs);
    else closing.settle(orphan, { ...progress, capNanos: hold.amountNanos, reason, atMs: nowMs, attempts: 1 });
  }
}
