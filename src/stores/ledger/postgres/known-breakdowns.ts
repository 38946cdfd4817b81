import { SQL } from "bun";
import { readBreakdownKey } from "../../../money/breakdown.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { CountedBreakdowns } from "../books/counted-breakdowns.ts";

/** The counted breakdowns in one version of the list. Entries may only be added with the current version. */
export interface KnownBreakdowns {
  readonly version: bigint;
  readonly counted: CountedBreakdowns;
}

/** A transaction was prepared with an outdated version of the list. */
export class BreakdownsChanged extends Error {
  override name = "BreakdownsChanged";
}

/** SQLSTATE of `require_breakdowns`. */
const CHANGED = "TG001";

export function areBreakdownsChanged(error: unknown): boolean {
  return error instanceof BreakdownsChanged || (error instanceof SQL.PostgresError && error.errno === CHANGED);
}

export async function readBreakdowns(on: Pick<PostgresPool, "query">): Promise<KnownBreakdowns> {
  const [head] = await on.query<{ version: bigint; ids: readonly string[] }>(
    "select breakdowns_version as version, array(select id from counted_breakdowns) as ids from ledger_head",
  );
  const counted = new CountedBreakdowns();
  for (const id of head!.ids) counted.add(readBreakdownKey(id));
  return { version: head!.version, counted };
}

/** The list as this process knows it, so that most shipments need not read it. */
export class BreakdownCache {
  readonly #pool: PostgresPool;
  #known: KnownBreakdowns | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async current(): Promise<KnownBreakdowns> {
    return (this.#known ??= await readBreakdowns(this.#pool));
  }

  /** Forgets the list: it has changed, or may have, because the database was restored. */
  forget(): void {
    this.#known = undefined;
  }
}
