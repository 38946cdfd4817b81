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

requestLogStoreContract("EmbeddedRequestLogStore", open);
requestStatisticsContract("EmbeddedRequestLogStore", open);
