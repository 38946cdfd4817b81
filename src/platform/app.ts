import type { Endpoint } from "../http/endpoint.ts";
import { authenticateOperator } from "./authenticate-operator.ts";
import { adjustCredit, grantCredit } from "./endpoints/add-credit.ts";
import { createKey } from "./endpoints/create-key.ts";
import { listKeys } from "./endpoints/list-keys.ts";
import { listModels } from "./endpoints/list-models.ts";
import { revokeKey } from "./endpoints/revoke-key.ts";
import { showAccount } from "./endpoints/show-account.ts";
import type { Platform } from "./platform.ts";

/** Everything that operators can reach. The credential is checked here, before any endpoint runs, so none can forget it. */
export function platformEndpoints(platform: Platform): Endpoint[] {
  const endpoints = [
    createKey(platform),
    listKeys(platform),
    revokeKey(platform),
    showAccount(platform),
    grantCredit(platform),
    adjustCredit(platform),
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
