import type { CreditEntry } from "../../../money/ledger-entry.ts";
import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import { refuseTooMuch, type NewCredit } from "../ledger-record-store.ts";
import { NOTIFY_FREED } from "./notices.ts";
import { LIMIT_IDLE_TIME } from "./transaction.ts";

interface CreditRow {
  readonly id: bigint;
  readonly kind: CreditEntry["kind"];
  readonly at_ms: bigint;
  readonly actor: string;
  readonly reason: string;
  readonly amount_nanos: bigint;
}

const ADD_PURSE = "insert into purses (scope, id) values ('account', $1) on conflict do nothing";
const LOCK_PURSE = `select credit_nanos, is_short, ${LIMIT_IDLE_TIME} from purses where scope = 'account' and id = $1 for update`;
const FIND = "select id, kind, at_ms, actor, reason, amount_nanos from entries where account_id = $1 and reference = $2";
const CHANGE_PURSE =
  "update purses set credit_nanos = credit_nanos + $2::bigint, is_short = is_short and $2::bigint <= 0 where scope = 'account' and id = $1";
const ADD = `with head as (update ledger_head set last_id = last_id + 1 where single = 1 returning last_id)
  insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, reference)
    select last_id, $1, $2, $3::bigint, $4::bigint, $5, $6, $7 from head returning id`;

/**
 * Adds a grant or an adjustment in the open transaction. The transaction must not have locked a purse or the head of the ledger, and must
 * commit soon: all other entries wait for it. Idempotent by reference: if the account has an entry with this reference, that entry is
 * returned. Throws `invalid_value` if the balance would exceed `MAX_NANOS` in either direction.
 */
export async function bookCredit(connection: PostgresConnection, credit: NewCredit): Promise<{ entry: CreditEntry; isNew: boolean }> {
  const { accountId, amountNanos, reference, kind, atMs, actor, reason } = credit;
  const [, [purse], [earlier]] = await Promise.all([
    connection.query(ADD_PURSE, [accountId]),
    connection.query<{ credit_nanos: bigint; is_short: boolean }>(LOCK_PURSE, [accountId]),
    connection.query<CreditRow>(FIND, [accountId, reference]),
  ]);
  if (earlier) return { entry: fromRow(earlier, credit), isNew: false };
  refuseTooMuch(purse!.credit_nanos, amountNanos);
  const [, , [added]] = await Promise.all([
    connection.query(CHANGE_PURSE, [accountId, amountNanos]),
    purse!.is_short && amountNanos > 0n ? connection.query(NOTIFY_FREED, [`account:${accountId}`]) : undefined,
    connection.query<{ id: bigint }>(ADD, [accountId, kind, amountNanos, atMs, actor, reason, reference]),
  ]);
  return { entry: { ...credit, id: Number(added!.id) }, isNew: true };
}

function fromRow(
  { id, kind, at_ms: atMs, actor, reason, amount_nanos: amountNanos }: CreditRow,
  { accountId, reference }: NewCredit,
): CreditEntry {
  return { kind, id: Number(id), accountId, atMs: Number(atMs), actor, reason, amountNanos, reference };
}
