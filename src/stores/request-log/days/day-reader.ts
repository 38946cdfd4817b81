import { Database as SqliteFile, type SQLQueryBindings } from "bun:sqlite";
import type { LoggedBodies, LoggedRequest } from "../../../requests/logged-request.ts";
import { writeAttribution } from "../../../money/attribution.ts";
import type { AttributedFilter, ErasedRequest, RequestFilter } from "../request-log-store.ts";
import { mayHave } from "./name-filter.ts";
import { CHUNK_ROWS, FIELD_NAMES, FIELDS, fromRow, SELECT, uuidOf, type RequestRow } from "./request-table.ts";
import { SELECT_END_ROW, SELECT_SERIES, type Name, type SumRow } from "../statistics/sum-table.ts";
import { upgradeDay } from "./upgrade-day.ts";
import { acceptedValues, attributedCondition, conditionOn } from "./filter-conditions.ts";

export type Direction = "older" | "newer";

/** A request and its row number. */
export interface NumberedRequest {
  readonly row: number;
  readonly request: LoggedRequest;
}

/** A day file, open for reading. One chunk is read in a turn of the event loop; between two chunks requests are served. */
export class DayReader {
  readonly #file: SqliteFile;

  constructor(path: string) {
    // Not `readonly`: the last connection to close checkpoints the WAL, which a read-only one cannot.
    this.#file = new SqliteFile(path, { readwrite: true, create: false, strict: true });
    try {
      this.#file.run("pragma busy_timeout = 0");
      upgradeDay(this.#file);
      this.#file.run("pragma query_only = on");
      // In KiB. Small, because many files may be open, and most pages are read once.
      this.#file.run("pragma cache_size = -1000");
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /** The chunks that may have matching requests after a row, in the order in which to read them. */
  chunks(filter: RequestFilter, afterRow: number | undefined, direction: Direction): number[] {
    const conditions: string[] = [];
    const values: SQLQueryBindings[] = [];
    const add = (condition: string, ...more: SQLQueryBindings[]): void => {
      conditions.push(condition);
      values.push(...more);
    };
    if (filter.fromMs !== undefined) add("to_ms >= ?", filter.fromMs);
    if (filter.toMs !== undefined) add("from_ms < ?", filter.toMs);
    if (afterRow !== undefined) add(direction === "older" ? "chunk <= ?" : "chunk >= ?", Math.floor(afterRow / CHUNK_ROWS));
    for (const field of FIELD_NAMES) {
      const accepted = acceptedValues(filter, field);
      if (accepted === undefined) continue;
      const { condition, values: parameters } = conditionOn("value", accepted);
      add(`chunk in (select chunk from found where field = ? and ${condition})`, field, ...parameters);
    }
    return this.#chunksWhere(conditions, values, direction);
  }

  /** The matching requests of one chunk after a row, at most `limit`. */
  read(chunk: number, filter: RequestFilter, afterRow: number | undefined, direction: Direction, limit: number): NumberedRequest[] {
    if (!this.#mayHaveNames(chunk, filter.attributed ?? [])) return [];
    const conditions = ["row >= ?", "row < ?"];
    const values: SQLQueryBindings[] = [chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS];
    const add = (condition: string, ...accepted: readonly (string | number | undefined)[]): void => {
      const given = accepted.filter((value) => value !== undefined);
      if (given.length === 0) return;
      conditions.push(condition);
      values.push(...given);
    };
    const bind = (value: string): string => {
      values.push(value);
      return "?";
    };
    add(direction === "older" ? "row < ?" : "row > ?", afterRow);
    add("ended_at_ms >= ?", filter.fromMs);
    add("ended_at_ms < ?", filter.toMs);
    for (const field of FIELD_NAMES) {
      const accepted = acceptedValues(filter, field);
      if (accepted === undefined) continue;
      const { condition, values: parameters } = conditionOn(FIELDS[field], accepted);
      add(condition, ...parameters);
    }
    for (const attributed of filter.attributed ?? []) conditions.push(attributedCondition(attributed, "attribution", bind));
    const sql = `${SELECT} where ${conditions.join(" and ")} order by row ${inOrder(direction)} limit ?`;
    const rows = this.#file.query<RequestRow, SQLQueryBindings[]>(sql).all(...values, limit);
    return rows.map((row) => ({ row: row.row, request: fromRow(row) }));
  }

  /** The chunks that may have a request. */
  chunksWith(uuid: string): number[] {
    return this.#chunksWhere(["first_id <= unhex(?, '-')", "last_id >= unhex(?, '-')"], [uuid, uuid], "newer");
  }

  find(chunk: number, uuid: string): LoggedRequest | undefined {
    const sql = `${SELECT} where row >= ? and row < ? and id = unhex(?, '-')`;
    const row = this.#file.query<RequestRow, SQLQueryBindings[]>(sql).get(chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS, uuid);
    return row ? fromRow(row) : undefined;
  }

  hasBodies(uuid: string): boolean {
    return this.#file.query<unknown, [string]>("select 1 from bodies where id = unhex(?, '-')").get(uuid) !== null;
  }

  bodies(uuid: string): LoggedBodies | undefined {
    const sql = "select request, reply, is_cut from bodies where id = unhex(?, '-')";
    const row = this.#file.query<{ request: string | null; reply: string | null; is_cut: number }, [string]>(sql).get(uuid);
    return row ? { request: row.request, reply: row.reply, isCut: row.is_cut === 1 } : undefined;
  }

  /** Replaces attributions, and deletes bodies. The one change that a reader makes: in one turn, in which the writer of the day does nothing. */
  erase(erased: readonly ErasedRequest[]): void {
    this.#file.run("pragma query_only = off");
    try {
      // Deleted text is overwritten.
      this.#file.run("pragma secure_delete = on");
      const update = this.#file.query("update requests set attribution = ? where row = ?");
      const readAll = this.#file.query("insert or replace into names values (?, null)");
      const drop = this.#file.query("delete from bodies where id = unhex(?, '-')");
      this.#file
        .transaction(() => {
          for (const chunk of new Set(erased.map(({ position }) => Math.floor(position.row / CHUNK_ROWS)))) readAll.run(chunk);
          for (const { position, request, attribution, deletesBodies } of erased) {
            update.run(writeAttribution(attribution), position.row);
            if (deletesBodies) drop.run(uuidOf(request.requestId)!);
          }
        })
        .immediate();
    } finally {
      this.#file.run("pragma query_only = on");
    }
  }

  /** Whether the stored sums include all rows. */
  get areSumsComplete(): boolean {
    const hasSums = this.#file.query("select 1 from sqlite_master where name = 'summed'").get() !== null;
    const { row } = this.#file.query<{ row: number | null }, []>("select max(row) as row from requests").get()!;
    if (row === null) return hasSums;
    return hasSums && (this.#file.query<{ end_row: number }, []>(SELECT_END_ROW).get()?.end_row ?? 0) > row;
  }

  /** The sums of an account and a model, or of all, for each quarter hour with requests in a range. */
  sums(account: Name, model: Name, from: number, to: number): SumRow[] {
    return this.#file.query<SumRow, [Record<string, string | number>]>(SELECT_SERIES).all({ account, model, from, to });
  }

  close(): void {
    this.#file.run("pragma query_only = off");
    this.#file.close();
  }

  #mayHaveNames(chunk: number, attributed: readonly AttributedFilter[]): boolean {
    if (attributed.length === 0) return true;
    const bits = this.#file.query<{ bits: Uint8Array | null }, [number]>("select bits from names where chunk = ?").get(chunk)?.bits;
    return !bits || attributed.every((each) => mayHave(bits, each));
  }

  #chunksWhere(conditions: readonly string[], values: readonly SQLQueryBindings[], direction: Direction): number[] {
    const where = conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";
    const sql = `select chunk from chunks ${where} order by chunk ${inOrder(direction)}`;
    const rows = this.#file.query<{ chunk: number }, SQLQueryBindings[]>(sql).all(...values);
    return rows.map(({ chunk }) => chunk);
  }
}

function inOrder(direction: Direction): "asc" | "desc" {
  return direction === "newer" ? "asc" : "desc";
}
