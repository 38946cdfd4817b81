import type { Nanos } from "../../money/money.ts";
import type { Spender } from "../../money/tally.ts";
import { audit, type AuditReport } from "../../platform/audit/auditor.ts";
import { inDollars } from "../../platform/audit/discrepancies.ts";
import type { LedgerRecordStore } from "../../stores/ledger/ledger-record-store.ts";
import { MoveRefused } from "./move-refused.ts";

/** The sums of an account or a key. */
interface SpenderSums {
  readonly scope: Spender;
  readonly id: string;
  readonly creditNanos: Nanos;
  readonly heldNanos: Nanos;
  readonly dayNanos: Nanos;
  readonly monthNanos: Nanos;
  readonly spentNanos: Nanos;
}

/** The sums that a ledger claims, which the auditor has confirmed. */
export interface LedgerSummary {
  readonly lastId: number;
  /** By scope and ID. */
  readonly spenders: ReadonlyMap<string, SpenderSums>;
}

const MAX_NAMED = 5;

/** Audits a ledger, and reads its sums. Throws `MoveRefused` if the auditor finds a discrepancy. */
export async function summarizeLedger(
  where: string,
  ledger: LedgerRecordStore,
  keyIds: readonly string[],
  nowMs: number,
): Promise<LedgerSummary> {
  const discrepancies = describeDiscrepancies(where, await audit({ ledger, keyIds, nowMs }));
  if (discrepancies !== undefined) throw new MoveRefused(discrepancies);
  const { asOfId, accounts, spentByKey } = await ledger.balances();
  const all = [
    ...[...accounts].map(([id, balance]) => ({ scope: "account", id, ...balance }) as const),
    ...[...spentByKey].map(([id, spentNanos]) => ({ scope: "key", id, creditNanos: 0n, heldNanos: 0n, spentNanos }) as const),
  ];
  const spenders = all.map((each): [string, SpenderSums] => {
    const { dayNanos, monthNanos } = ledger.spendingOf(each.scope, each.id, nowMs);
    return [`${each.scope} ${each.id}`, { ...each, dayNanos, monthNanos }];
  });
  return { lastId: asOfId, spenders: new Map(spenders) };
}

/** The discrepancies that the auditor has found, if any. */
export function describeDiscrepancies(where: string, { discrepancy_count: count, discrepancies }: AuditReport): string | undefined {
  if (count === 0) return undefined;
  const named = discrepancies
    .slice(0, MAX_NAMED)
    .map((each) => `${each.where}: ${each.what}: expected ${each.expected}, found ${each.found}`);
  return `the auditor finds ${count} discrepancies in the ledger of ${where}:\n${named.join("\n")}`;
}

const SUMS = ["creditNanos", "heldNanos", "dayNanos", "monthNanos", "spentNanos"] as const;

/** Throws `MoveRefused` if a sum of the copy differs. An account or key without a row has spent nothing. */
export function refuseOtherSums(original: LedgerSummary, copy: LedgerSummary): void {
  if (original.lastId !== copy.lastId) {
    throw new MoveRefused(`the ledger ends at entry ${original.lastId}, and its copy at ${copy.lastId}: was it in use meanwhile?`);
  }
  for (const key of new Set([...original.spenders.keys(), ...copy.spenders.keys()])) {
    for (const sum of SUMS) {
      const [expected, found] = [original, copy].map(({ spenders }) => spenders.get(key)?.[sum] ?? 0n) as [Nanos, Nanos];
      if (expected !== found)
        throw new MoveRefused(`${key}: ${sum.replace("Nanos", "")} is ${inDollars(expected)}, and ${inDollars(found)} in the copy`);
    }
  }
}
