import type { Secret } from "../../lib/secret/secret.ts";
import type { Nanos } from "../../money/money.ts";
import type { CopiedTables } from "../../stores/moving/copy-tables.ts";
import type { CopiedLog } from "../../stores/moving/request-log-days.ts";
import type { LedgerSummary } from "./ledger-summary.ts";

/** The data that was moved, and that is equal on both sides. */
export interface MoveReport {
  readonly from: string;
  readonly to: string;
  /** The number of rows of each table. */
  readonly tables: ReadonlyMap<string, number>;
  readonly accounts: readonly MovedAccount[];
  readonly keys: number;
  /** Undefined if the request log was not moved. */
  readonly requestLog: CopiedLog | undefined;
  /** The IDs of completed background exports that were not moved. They can be downloaded only from the old storage. */
  readonly exportsLeft: readonly string[];
}

export interface MovedAccount {
  readonly id: string;
  readonly entries: number;
  readonly creditNanos: Nanos;
  readonly spentNanos: Nanos;
}

export function reportMove(
  from: string,
  to: string,
  { digests, entriesOf }: CopiedTables,
  { spenders }: LedgerSummary,
  { requestLog, exportsLeft }: Pick<MoveReport, "requestLog" | "exportsLeft">,
): MoveReport {
  const all = [...spenders.values()];
  return {
    from,
    to,
    tables: new Map([...digests].map(([name, { rows }]) => [name, rows])),
    accounts: all
      .filter(({ scope }) => scope === "account")
      .map(({ id, creditNanos, spentNanos }) => ({ id, entries: entriesOf.get(id) ?? 0, creditNanos, spentNanos })),
    keys: all.filter(({ scope }) => scope === "key").length,
    requestLog,
    exportsLeft,
  };
}

/** The URL of a database without user and password. */
export function addressOf(url: Secret): string {
  const { host, pathname } = new URL(url.reveal());
  return `postgres://${host}${pathname}`;
}
