import { afterEach, beforeEach, expect, test } from "bun:test";
import { LogInFolder } from "../../../test/request-log/log-in-folder.ts";
import { requestLogStoreContract, type RequestLogFixture } from "./request-log-store.contract.ts";
import { requestStatisticsContract } from "./request-statistics.contract.ts";

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
