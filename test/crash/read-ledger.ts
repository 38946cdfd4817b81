import { Database } from "bun:sqlite";
import { untilWritten } from "../support/gateway/until-written.ts";

/** An entry of the ledger in the database file. Fields that do not belong to its kind are null. */
export interface LedgerRow {
  readonly id: number;
  readonly account_id: string;
  readonly kind: "grant" | "adjustment" | "hold" | "settle" | "release";
  readonly amount_nanos: number;
  readonly at_ms: number;
  readonly actor: string;
  readonly reason: string;
  readonly request_id: string | null;
  readonly hold_id: number | null;
  readonly key_id: string | null;
  /** The reference of a grant or an adjustment. */
  readonly reference: string | null;
  readonly uncharged_nanos: number | null;
  readonly prompt_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly provenance: "measured" | "partial" | "estimated" | null;
}

/** All entries, read directly from the file that the gateway writes. */
export function readLedger(databasePath: string): LedgerRow[] {
  untilWritten(databasePath);
  return look(databasePath, (file) => file.query<LedgerRow, []>("select * from entries order by id").all());
}

/** The requests whose holds were made before this time and are still open. */
export function openHolds(databasePath: string, beforeMs: number): string[] {
  const sql = `select request_id from entries as hold where kind = 'hold' and at_ms < ? and not exists
    (select 1 from entries as closing where closing.request_id = hold.request_id and closing.kind in ('settle', 'release'))`;
  untilWritten(databasePath);
  return look(databasePath, (file) => file.query<{ request_id: string }, [number]>(sql).all(beforeMs)).map((row) => row.request_id);
}

/** The number of streams whose progress is in the database. */
export function countProgress(databasePath: string): number {
  return look(databasePath, (file) => file.query<{ count: number }, []>("select count(*) as count from progress").get()!.count);
}

/** The problems that SQLite's own integrity check reports. */
export function damage(databasePath: string): string[] {
  const rows = look(databasePath, (file) => file.query<{ integrity_check: string }, []>("pragma integrity_check").all());
  return rows.map((row) => row.integrity_check).filter((words) => words !== "ok");
}

/** Opens and closes the file for each read: a reader that stays open would change the state in which the next start finds the file. */
function look<T>(databasePath: string, read: (file: Database) => T): T {
  const file = new Database(databasePath, { readonly: true });
  try {
    return read(file);
  } finally {
    file.close();
  }
}
