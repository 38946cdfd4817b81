import { SQL } from "bun";
import type { Cluster } from "../support/gateway/start-cluster.ts";
import { eventually } from "../support/eventually.ts";
import type { LedgerRow } from "../money/ledger-of.ts";

/** All entries of a cluster's ledger, in order, read directly from the database. */
export async function ledgerOf({ url }: Pick<Cluster, "url">): Promise<LedgerRow[]> {
  const sql = new SQL(url.reveal(), { max: 1, bigint: true });
  try {
    return [...(await sql<LedgerRow[]>`select * from entries order by id`)];
  } finally {
    await sql.close();
  }
}

/** Waits until every hold has ended, and returns the entries. */
export async function settledLedger(cluster: Pick<Cluster, "url">): Promise<LedgerRow[]> {
  return eventually(
    () => ledgerOf(cluster),
    (rows) => {
      const ended = new Set(rows.map((row) => row.hold_id));
      return rows.every((row) => row.kind !== "hold" || ended.has(row.id));
    },
  );
}

/** The charges of a request. */
export function chargesOf(requestId: string, rows: readonly LedgerRow[]): bigint[] {
  return rows.filter((row) => row.kind === "settle" && row.request_id === requestId).map((row) => row.amount_nanos);
}
