import { LogInFolder } from "../../../test/request-log/log-in-folder.ts";
import { requestLogStoreContract } from "./request-log-store.contract.ts";

requestLogStoreContract("EmbeddedRequestLogStore", async (nowMs) => {
  const log = new LogInFolder({ nowMs });
  return {
    store: log.store,
    async reopen() {
      await log.reopen();
      return log.store;
    },
    cleanUp: () => log.remove(),
  };
});
