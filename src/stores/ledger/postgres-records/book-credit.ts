import type { CreditEntry } from "../../../money/ledger-entry.ts";
import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import { refuseTooMuch, type NewCredit } from "../ledger-record-store.ts";
import { ENTRY_COLUMNS, toEntry, type StoredEntry } from "./entry-rows.ts";

const ADD_PURSE = "insert into purses (scope, id) values ('account', $1) on conflict do nothing";
const LOCK_PURSE = "select credit_nanos from purses where scope = 'account' and id = $1 for update";
const FIND = `select ${ENTRY_COLUMNS} from entries where account_id = $1 and reference = $2`;
const CHANGE_PURSE = "update purses set credit_nanos = credit_nanos + $2::bigint where scope = 'account' and id = $1";
const ADD = `with head as (update ledger_head set last_id = last_id + 1 returning last_id)
  insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, reference)
    select last_id, $1, $2, $3::bigint, $4::bigint, $5, $6, $7 from head returning id`;

/**
 * Adds a grant or an adjustment in the open transaction, which locks the purse and then the head of the ledger, like every writer of entries.
 * Idempotent by reference. Throws `invalid_value` where the balance would exceed `MAX_NANOS` in either direction.
 */
export async function bookCredit(connection: PostgresConnection, credit: NewCredit): Promise<{ entry: CreditEntry; isNew: boolean }> {
  const { accountId, amountNanos, reference, kind, atMs, actor, reason } = credit;
  const [, [purse], [earlier]] = await Promise.all([
    connection.query(ADD_PURSE, [accountId]),
    connection.query<{ credit_nanos: bigint }>(LOCK_PURSE, [accountId]),
    connection.query<StoredEntry>(FIND, [accountId, reference]),
  ]);
  if (earlier) return { entry: toEntry(earlier) as CreditEntry, isNew: false };
  refuseTooMuch(purse!.credit_nanos, amountNanos);
  const [, [added]] = await Promise.all([
    connection.query(CHANGE_PURSE, [accountId, amountNanos]),
    connection.query<{ id: bigint }>(ADD, [accountId, kind, amountNanos, atMs, actor, reason, reference]),
  ]);
  return { entry: { ...credit, id: Number(added!.id) }, isNew: true };
}
