import { afterEach, beforeEach, expect, test } from "bun:test";
import { LogInFolder } from "../../../test/request-log/log-in-folder.ts";
import { requestLogStoreContract, type RequestLogFixture } from "./request-log-store.contract.ts";
import { requestStatisticsContract } from "./request-statistics.contract.ts";
import type { LogDatabase } from "./log-database.ts";
import { POSTGRES } from "./log-dialect.ts";
import { LogSearch, MAX_SCANNED_CHUNKS } from "./log-search.ts";
import { scanningContract } from "./scanning.contract.ts";

async function open(nowMs: () => number): Promise<RequestLogFixture> {
  const log = new LogInFolder({ nowMs });
  return {
    store: log.store,
    async reopen() {
      await log.reopen();
      return log.store;
    },
    cleanUp: () => log.remove(),
  };
}

let log: LogInFolder;
beforeEach(() => {
  log = new LogInFolder();
});
afterEach(() => log.remove());

test("a background slice writes the oldest requests, each into the file of its day", async () => {
  const { backgroundTask } = log.store;
  const noted = log.noteMany(20);
  backgroundTask.runSlice(16);
  expect([backgroundTask.waiting, log.store.state().written]).toEqual([4, 16]);
  log.pass(24 * 60 * 60 * 1000);
  noted.push(...log.noteMany(3));
  backgroundTask.runSlice(16);
  expect([backgroundTask.waiting, log.store.state().written]).toEqual([3, 20]);
  backgroundTask.runSlice(16);
  backgroundTask.runSlice(16);
  expect([backgroundTask.waiting, log.store.state().written]).toEqual([0, 23]);
  expect(await log.ids()).toEqual(noted);
});

requestLogStoreContract("EmbeddedRequestLogStore", open);
requestStatisticsContract("EmbeddedRequestLogStore", open);
scanningContract("EmbeddedRequestLogStore", open);

test("a count and a sort read no more than a limit of chunks", async () => {
  const chunks = Array.from({ length: MAX_SCANNED_CHUNKS + 3 }, (_, chunk) => ({ chunk }));
  const searchOf = (count: number): LogSearch => {
    const query = async (day: string, sql: string, [read]: readonly unknown[]): Promise<readonly unknown[]> => {
      if (sql.includes("_chunks as chunks")) return day === "2027-02-01" ? chunks.slice(0, count - 1) : chunks.slice(0, 1);
      return sql.includes("count(*)") ? [{ count: (read as unknown[]).length * 2 }] : [];
    };
    const days = async (): Promise<string[]> => ["2027-01-31", "2027-02-01"];
    return new LogSearch({ dialect: POSTGRES, chunksAtOnce: 10, days, query } as unknown as LogDatabase);
  };
  const order = { by: "cost", direction: "highest" } as const;
  expect(await searchOf(MAX_SCANNED_CHUNKS).count({})).toEqual({ count: 2 * MAX_SCANNED_CHUNKS, isExact: true });
  expect(await searchOf(MAX_SCANNED_CHUNKS + 1).count({})).toEqual({ count: 2 * MAX_SCANNED_CHUNKS, isExact: false });
  expect(await searchOf(MAX_SCANNED_CHUNKS).sort({}, order, undefined, 5)).toEqual([]);
  expect(await searchOf(MAX_SCANNED_CHUNKS + 1).sort({}, order, undefined, 5)).toBeUndefined();
});
