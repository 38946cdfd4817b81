import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hold, NOW, settlement } from "../../../../test/support/money/ledger-samples.ts";
import { openSqlite, openSqliteReader, openSqliteWriter } from "../../sqlite/sqlite-database.ts";
import { migrate } from "../../migrations/migrate.ts";
import { EmbeddedLedgerStore } from "../embedded-ledger-store.ts";
import { Journal } from "../journal/journal.ts";
import { LedgerRequestHistory } from "./request-history.ts";
import type { IdRange } from "./ledger-rows.ts";
import { SqliteRows } from "./sqlite-rows.ts";
import type { HistoricalRequest } from "../request-history-store.ts";
import { recordInAnyOrder, requestHistoryStoreContract, type RequestHistoryStoreFixture } from "../request-history-store.contract.ts";

interface EmbeddedFixture extends RequestHistoryStoreFixture {
  readonly ledger: EmbeddedLedgerStore;
  readonly path: string;
}

async function openEmbedded(): Promise<EmbeddedFixture> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-past-"));
  const path = join(folder, "tollgate.db");
  const database = openSqlite(path);
  await migrate(database);
  await database.destroy();
  const journal = new Journal(join(folder, "ledger-journal"), "process");
  const ledger = new EmbeddedLedgerStore(openSqliteWriter(path, "process"), { journal, nowMs: () => NOW, report: () => undefined });
  const historyFile = openSqliteReader(path);
  const history = new LedgerRequestHistory(new SqliteRows(historyFile), () => ledger.catchUp());
  return {
    path,
    ledger,
    history,
    async cleanUp() {
      historyFile.close();
      await ledger.close();
      rmSync(folder, { recursive: true });
    },
  };
}

requestHistoryStoreContract("LedgerRequestHistory in SQLite", openEmbedded);

let fixture: EmbeddedFixture;
beforeEach(async () => {
  fixture = await openEmbedded();
});
afterEach(() => fixture.cleanUp());

test("the contract's history has closing entries that an account's index finds, and open holds after them", async () => {
  await recordInAnyOrder(fixture.ledger);
  await fixture.history.each({ sinceMs: 0 }, () => undefined);
  const file = openSqliteReader(fixture.path);
  const tallied = file.query<{ oldest_open_id: number }, []>("select oldest_open_id from tallied").get()!;
  file.close();
  expect(tallied.oldest_open_id).toBeGreaterThan(3000);
});

test("reads a thousand entries in a turn of the event loop", async () => {
  await Promise.all(Array.from({ length: 2500 }, (_, at) => fixture.ledger.hold(hold(`r${at}`, 1n))));
  const batches: number[] = [];
  await fixture.history.each({ sinceMs: 0 }, ({ length }) => batches.push(length));
  expect(batches).toEqual([1000, 1000, 500]);
});

/** Ends the oldest request after the first statement of a history, as another process may. Knows the oldest open hold, as PostgreSQL does. */
class RowsWhileRequestEnds extends SqliteRows {
  readonly #end: () => Promise<unknown>;
  #hasEnded = false;

  constructor(file: ConstructorParameters<typeof SqliteRows>[0], end: () => Promise<unknown>) {
    super(file);
    this.#end = end;
  }

  override async idRanges(fromMs: number, toMs: number): Promise<IdRange[]> {
    return this.#thenEnd(await super.idRanges(fromMs, toMs));
  }

  override async oldestOpenId(): Promise<number> {
    return this.#thenEnd(this.#hasEnded ? 2 : 1);
  }

  async #thenEnd<Result>(result: Result): Promise<Result> {
    if (!this.#hasEnded) await this.#end();
    this.#hasEnded = true;
    return result;
  }
}

test("finds a request that ends while its history begins to be read", async () => {
  const { ledger, path } = fixture;
  for (const id of ["oldest", "next"]) await ledger.hold(hold(id, 1n));
  ledger.catchUp();
  const file = openSqliteReader(path);
  const rows = new RowsWhileRequestEnds(file, async () => {
    await ledger.settle("oldest", settlement(0n));
    ledger.catchUp();
  });
  const found: HistoricalRequest[] = [];
  await new LedgerRequestHistory(rows, () => undefined).each({ sinceMs: 0, model: "m" }, (requests) => found.push(...requests));
  expect(found.map(({ id }) => id)).toEqual([1, 2]);
  file.close();
});
