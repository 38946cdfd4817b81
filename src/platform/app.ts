import type { Endpoint } from "../http/endpoint.ts";
import { authenticateOperator } from "./authenticate-operator.ts";
import { adjustCredit, grantCredit } from "./endpoints/add-credit.ts";
import { createAccount } from "./endpoints/create-account.ts";
import { createKey } from "./endpoints/create-key.ts";
import { listAccounts } from "./endpoints/list-accounts.ts";
import { listEntries } from "./endpoints/list-entries.ts";
import { listKeys } from "./endpoints/list-keys.ts";
import { listModels } from "./endpoints/list-models.ts";
import { revokeKey } from "./endpoints/revoke-key.ts";
import { runAudit } from "./endpoints/run-audit.ts";
import { showAccount } from "./endpoints/show-account.ts";
import { showKey } from "./endpoints/show-key.ts";
import { showReceipt } from "./endpoints/show-receipt.ts";
import { updateAccount } from "./endpoints/update-account.ts";
import { updateKey } from "./endpoints/update-key.ts";
import type { Platform } from "./platform.ts";

/** Everything that operators can reach. The credential is checked here, before any endpoint runs, so none can forget it. */
export function platformEndpoints(platform: Platform): Endpoint[] {
  const endpoints = [
    createKey(platform),
    listKeys(platform),
    showKey(platform),
    updateKey(platform),
    revokeKey(platform),
    createAccount(platform),
    listAccounts(platform),
    showAccount(platform),
    updateAccount(platform),
    grantCredit(platform),
    adjustCredit(platform),
    listEntries(platform),
    showReceipt(platform),
    runAudit(platform),
    listModels(platform),
  ];
  return endpoints.map((endpoint) => ({
    ...endpoint,
    handle(exchange) {
      authenticateOperator(exchange.request, platform);
      return endpoint.handle(exchange);
    },
  }));
}
