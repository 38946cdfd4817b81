import type { Entry } from "../../../money/ledger-entry.ts";
import { SENT_COLUMNS, SENT_NAMES, toSentRow } from "../records/entry-columns.ts";
import { BEFORE_FIRST_ID } from "./working-set.ts";

/**
 * Adds entries with the next ids, opens their holds and ends others. The head is locked last, until the commit: ids have no gaps, and are
 * in the order of the commits. Parameters: the number of rows, the rows, the instance, the requests whose holds have ended, and the version
 * of the counted breakdowns: if the ledger has another version, the transaction fails.
 */
export const ADD_ENTRIES = `with head as (update ledger_head set last_id = last_id + $1::bigint where single = 1
    returning last_id - $1::bigint as last_id, require_breakdowns($5::bigint, breakdowns_version)),
  rows as materialized (select * from json_to_recordset($2::text::json) as r(n bigint, hold_n bigint, hold_id bigint, is_open boolean, ${SENT_COLUMNS}, seq bigint)),
  ended as (delete from open_holds where request_id = any($4::text[])),
  opened as (insert into open_holds (request_id, instance_id, hold_id, account_id, key_id, amount_nanos)
    select request_id, $3, last_id + n, account_id, key_id, amount_nanos from head, rows where is_open)
  insert into entries (id, hold_id, instance_id, ${SENT_NAMES}, seq)
    select last_id + n, coalesce(hold_id, last_id + hold_n), $3, ${SENT_NAMES}, seq from head, rows order by n`;

/**
 * A new entry as a row. Its id `n` is relative to the head of the ledger; the id of its hold is relative too (`hold_n`), if the hold is also
 * new. `seq`: the number of the change in the sequence of its process; undefined for entries that end a process. `isOpen`: whether the
 * entry is a hold that stays open.
 */
export function toNewRow(entry: Entry, seq: number | undefined, isOpen: boolean): object {
  const row = { ...toSentRow(entry), n: entry.id - BEFORE_FIRST_ID, seq, is_open: isOpen };
  if (!("holdId" in entry) || entry.holdId >= 0) return row;
  return { ...row, hold_id: undefined, hold_n: entry.holdId - BEFORE_FIRST_ID };
}
