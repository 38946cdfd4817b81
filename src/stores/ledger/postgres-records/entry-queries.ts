import type { CreditEntry, Entry, ReleaseEntry, SettleEntry, ListedEntry } from "../../../money/ledger-entry.ts";
import type { Price } from "../../../money/price.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import type { EntriesOfEndUser, RequestRecord } from "../ledger-record-store.ts";
import { priceFromRow, type PriceRow } from "../tables/price-table.ts";
import { GRANULARITY_MS } from "../usage/granularity.ts";
import { MAX_TAG_NAMES } from "../usage/names/tag-names.ts";
import { ENTRY_COLUMNS, toEntry, withNumbers, type StoredEntry } from "./entry-rows.ts";

/** Ids of one slice of a scan, which takes tens of milliseconds. */
const SCANNED_AT_ONCE = 20_000;

/** Reads entries and the prices that they name. */
export class EntryQueries {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  after(id: number, limit: number): Promise<Entry[]> {
    return this.#read("from entries where id > $1 order by id limit $2", [id, limit]);
  }

  /** The entries of an account without holds: the account index does not include holds, and each hold is shown with its closing entry. */
  async ofAccount(accountId: string, beforeId: number, limit: number): Promise<ListedEntry[]> {
    const rest = "from entries where account_id = $1 and kind <> 'hold' and id < $2 order by id desc limit $3";
    return (await this.#read(rest, [accountId, beforeId, limit])) as ListedEntry[];
  }

  async findCredit(accountId: string, reference: string): Promise<CreditEntry | undefined> {
    const [entry] = await this.#read("from entries where account_id = $1 and reference = $2", [accountId, reference]);
    return entry as CreditEntry | undefined;
  }

  /**
   * Scans a slice of ids: there is no index by end user, because maintaining it would cost each request more than the scan costs an export.
   */
  async ofEndUser(accountId: string, users: readonly string[], afterId: number): Promise<EntriesOfEndUser> {
    const [head] = await this.#pool.query<{ last_id: bigint }>("select last_id from ledger_head");
    const toId = Math.min(afterId + SCANNED_AT_ONCE, Number(head!.last_id));
    const rest = `from entries where id > $1 and id <= $2 and account_id = $3 and attribution is not null
      and attribution::jsonb ->> 'user' = any($4::text[]) order by id`;
    return { entries: await this.#read(rest, [afterId, toId, accountId, users]), toId: toId > afterId ? toId : undefined };
  }

  /** Reads tags from the rollups, and from the entries that are not in the rollups yet. */
  async tagsOf(accountId: string, sinceMs: number): Promise<string[]> {
    const unrolled = `from entries where id > (select as_of_id from attribution_rolled) and account_id = $1
      and kind in ('settle', 'release') and attribution is not null`;
    const rows = await this.#pool.query<{ tag: string }>(
      `select substr(dimension, length('tag:') + 1) collate "C" as tag from attribution_owners as owners
        where account_id = $1 and dimension like 'tag:%' and exists (select from attribution_cells as rows
          where rows.owner = owners.id and grain = 'day' and slot >= $3::bigint / ${GRANULARITY_MS.day})
      union select jsonb_object_keys(attribution::jsonb -> 'tags') ${unrolled} order by tag limit $2`,
      [accountId, MAX_TAG_NAMES, sinceMs],
    );
    return rows.map(({ tag }) => tag);
  }

  /** Finds a closed hold through its closing entry, and an open one through the table of open holds. */
  async findRequest(requestId: string): Promise<RequestRecord | undefined> {
    const closing = "select id, hold_id from entries where request_id = $1 and kind in ('settle', 'release')";
    const open = "select null, hold_id from open_holds where request_id = $1";
    const ids = `with found(closing_id, hold_id) as (${closing} union all ${open})`;
    const rest = "from entries where id in (select unnest(array[closing_id, hold_id]) from found) order by id";
    const [hold, end] = await this.#read(rest, [requestId], ids);
    return hold?.kind === "hold" ? { hold, closing: end as SettleEntry | ReleaseEntry | undefined } : undefined;
  }

  async price(version: string): Promise<Price | undefined> {
    const sql = "select version, effective_at_ms, source, rates, tiers, price_list, derived_from, percent from prices where version = $1";
    const [row] = await this.#pool.query<PriceRow>(sql, [version]);
    return row && priceFromRow(withNumbers(row));
  }

  async tierBounds(): Promise<readonly number[]> {
    const rows = await this.#pool.query<{ bound: bigint }>(
      "select distinct (tier ->> 'aboveInputTokens')::bigint as bound from prices, json_array_elements(tiers::json) as tier order by bound",
    );
    return rows.map(({ bound }) => Number(bound));
  }

  async #read(rest: string, parameters: readonly unknown[], before = ""): Promise<Entry[]> {
    const rows = await this.#pool.query<StoredEntry>(`${before} select ${ENTRY_COLUMNS} ${rest}`, parameters);
    return rows.map(toEntry);
  }
}
