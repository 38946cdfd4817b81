import type { LedgerBalances, LedgerRecordStore } from "../../stores/ledger/ledger-record-store.ts";
import type { AuditLogStore } from "../../stores/audit-log/audit-log-store.ts";
import type { Entry } from "../../money/ledger-entry.ts";
import { AccountHistory } from "./account-history.ts";
import { BreakdownSums } from "./breakdown-sums.ts";
import { Discrepancies, inDollars, type Discrepancy } from "./discrepancies.ts";
import { NamedPrices } from "./named-prices.ts";
import { Replay } from "./replay.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

/** The auditor's view of the ledger: its entries, and the sums that the ledger claims. */
export type AuditedLedger = Pick<LedgerRecordStore, "entriesAfter" | "balances" | "price">;

interface AuditOptions {
  readonly ledger: AuditedLedger;
  /** The IDs of all keys. */
  readonly keyIds: readonly string[];
  readonly nowMs: number;
  /**
   * The record of the accounts' price lists and credit lines. Without it, price lists are not checked, and no account has a credit line.
   */
  readonly auditLog?: Pick<AuditLogStore, "page">;
  /** Aborted when the client has disconnected. */
  readonly signal?: CancelSignal;
}

export interface AuditReport {
  readonly checked: { readonly entries: number; readonly accounts: number; readonly requests: number };
  readonly as_of_entry: number;
  readonly discrepancy_count: number;
  /** The first discrepancies. */
  readonly discrepancies: readonly Discrepancy[];
}

/** The number of entries per slice. A slice blocks the event loop for a few milliseconds. */
const PAGE = 1000;
const LONG_OPEN_MS = 24 * 3600 * 1000;

/**
 * Recomputes all sums from the entries and compares them. It never uses the ledger's own arithmetic, because then a fault in the arithmetic
 * would remain undetected. Requests are served between two pages.
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const { ledger, nowMs, auditLog } = options;
  const discrepancies = new Discrepancies();
  const claimed = await ledger.balances();
  // Read after the balances: then the audit log contains every price list and credit line that the entries were charged with.
  const history = auditLog && (await AccountHistory.read(auditLog));
  const prices = new NamedPrices((version) => ledger.price(version));
  const replay = new Replay(discrepancies, prices, new BreakdownSums(claimed.breakdowns), history);
  const isRead = await replayAll(replay, claimed.asOfId, options, discrepancies);
  if (isRead) compare(claimed, options.keyIds, replay, discrepancies);
  reportLongOpenHolds(replay, nowMs, discrepancies);
  return {
    checked: { entries: replay.entryCount, accounts: replay.accounts.size, requests: replay.requestCount },
    as_of_entry: claimed.asOfId,
    discrepancy_count: discrepancies.count,
    discrepancies: discrepancies.reported,
  };
}

/** Returns whether all entries could be read. */
async function replayAll(replay: Replay, asOfId: number, options: AuditOptions, discrepancies: Discrepancies): Promise<boolean> {
  while (replay.lastId < asOfId) {
    if (options.signal?.aborted) return false;
    const page = await readPage(options.ledger, replay.lastId, discrepancies);
    if (!page) return false;
    const wanted = page.filter((entry) => entry.id <= asOfId);
    if (wanted.length === 0) break;
    await replay.prices.readFor(wanted);
    for (const entry of wanted) replayOne(replay, entry, discrepancies);
    await nextTurn();
  }
  if (replay.lastId !== asOfId) {
    discrepancies.add({ entry: asOfId }, "the last entry exists", `entry ${asOfId}`, `nothing after entry ${replay.lastId}`);
  }
  return true;
}

/** A row that was written by another program may lack any field. */
function replayOne(replay: Replay, entry: Entry, discrepancies: Discrepancies): void {
  try {
    replay.add(entry);
  } catch (error) {
    discrepancies.add({ entry: entry.id, accountId: entry.accountId }, "an entry has the fields of its kind", entry.kind, String(error));
  }
}

/** An entry that cannot be parsed ends the audit, after the entries before it. */
async function readPage(ledger: AuditedLedger, afterId: number, discrepancies: Discrepancies): Promise<readonly Entry[] | undefined> {
  for (let limit = PAGE; ; limit = Math.floor(limit / 10)) {
    try {
      return await ledger.entriesAfter(afterId, limit);
    } catch (error) {
      if (limit > 1) continue;
      discrepancies.add({ entry: afterId + 1 }, "an entry can be read", `an entry after ${afterId}`, String(error));
      return undefined;
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function compare(claimed: LedgerBalances, keyIds: readonly string[], replay: Replay, discrepancies: Discrepancies): void {
  for (const id of new Set([...claimed.accounts.keys(), ...replay.accounts.keys()])) {
    const account = claimed.accounts.get(id);
    const sums = replay.sumsOf(id);
    for (const what of ["credit", "held", "spent"] as const) {
      const claim = account?.[`${what}Nanos`] ?? 0n;
      if (claim === sums[what]) continue;
      discrepancies.add({ accountId: id }, `${what} equals the sum of the entries`, inDollars(sums[what]), inDollars(claim));
    }
  }
  for (const keyId of keyIds) {
    const spent = claimed.spentByKey.get(keyId) ?? 0n;
    const sum = replay.spentByKey.get(keyId) ?? 0n;
    if (spent !== sum) discrepancies.add({ keyId }, "spent equals the sum of the entries", inDollars(sum), inDollars(spent));
  }
  replay.breakdowns.compare(discrepancies);
}

function reportLongOpenHolds(replay: Replay, nowMs: number, discrepancies: Discrepancies): void {
  for (const { id, requestId, accountId, atMs } of replay.open.values()) {
    if (nowMs - atMs <= LONG_OPEN_MS) continue;
    const hours = Math.floor((nowMs - atMs) / 3_600_000);
    discrepancies.add({ entry: id, requestId, accountId }, "a hold ends within a day", "its end", `open for ${hours} hours`);
  }
}
