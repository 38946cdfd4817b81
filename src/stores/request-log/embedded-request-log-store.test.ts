import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STORE_OPTIONS } from "../../../test/store-options.ts";
import { EmbeddedRequestLogStore } from "./embedded-request-log-store.ts";
import { requestLogStoreContract } from "./request-log-store.contract.ts";

requestLogStoreContract("EmbeddedRequestLogStore", async (nowMs) => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-requests-"));
  const open = (): EmbeddedRequestLogStore =>
    new EmbeddedRequestLogStore({ ...STORE_OPTIONS.requestLog, folder, days: 30, maxBytes: 1024 ** 3, nowMs });
  let store = open();
  return {
    store,
    async reopen() {
      await store.close();
      store = open();
      return store;
    },
    async cleanUp() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
