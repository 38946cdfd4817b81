import type { Nanos } from "../../../money/money.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import type { AccountBalance, LedgerBalances } from "../ledger-record-store.ts";
import { readCounted, readHeldAmounts, readPurses } from "./purse-rows.ts";
import { readSnapshot } from "./read-snapshot.ts";

/** All balances as of one moment, and the last entry at that moment. */
export function readBalances(pool: PostgresPool): Promise<LedgerBalances> {
  return readSnapshot(pool, readBalancesIn);
}

/** Call this in a transaction that sees the database as of one moment. */
export async function readBalancesIn(connection: PostgresConnection): Promise<LedgerBalances> {
  const [[head], purses, held, breakdowns] = await Promise.all([
    connection.query<{ last_id: bigint }>("select last_id from ledger_head"),
    readPurses(connection),
    readHeldAmounts(connection),
    readCounted(connection),
  ]);
  const accounts = new Map<string, AccountBalance>();
  const spentByKey = new Map<string, Nanos>();
  for (const { scope, id, credit_nanos: creditNanos, total_nanos: spentNanos } of purses) {
    if (scope === "key") spentByKey.set(id, spentNanos);
    else accounts.set(id, { creditNanos, heldNanos: held.account.get(id) ?? 0n, spentNanos });
  }
  for (const [id, heldNanos] of held.account) if (!accounts.has(id)) accounts.set(id, { creditNanos: 0n, heldNanos, spentNanos: 0n });
  return { asOfId: Number(head!.last_id), accounts, spentByKey, breakdowns };
}
