import type { Contract, Endpoint } from "../http/endpoint.ts";
import { createOnce } from "./create-once.ts";
import { listChanges } from "./endpoints/audit-log/list-changes.ts";
import { createAccount } from "./endpoints/accounts/create-account.ts";
import { listAccounts } from "./endpoints/accounts/list-accounts.ts";
import { showAccount } from "./endpoints/accounts/show-account.ts";
import { updateAccount } from "./endpoints/accounts/update-account.ts";
import { adjustCredit, grantCredit } from "./endpoints/credits/add-credit.ts";
import { listEntries } from "./endpoints/credits/list-entries.ts";
import { createKey } from "./endpoints/keys/create-key.ts";
import { listKeys } from "./endpoints/keys/list-keys.ts";
import { revokeKey } from "./endpoints/keys/revoke-key.ts";
import { showKey } from "./endpoints/keys/show-key.ts";
import { updateKey } from "./endpoints/keys/update-key.ts";
import { runAudit } from "./endpoints/ledger/run-audit.ts";
import { listModels } from "./endpoints/models/list-models.ts";
import { showReceipt } from "./endpoints/receipts/show-receipt.ts";
import { admitActor } from "./guard.ts";
import type { Operation } from "./operation.ts";
import type { Platform } from "./platform.ts";
import { problemSchema } from "./problem-schema.ts";
import { readCall } from "./read-call.ts";

/** Everything that can be done on the platform. */
export function operations(platform: Platform): Operation[] {
  return [
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

    listModels(platform),

    listChanges(platform),
    runAudit(platform),
  ];
}

/** The platform's routes. Each passes the guard before anything of it runs. */
export function platformEndpoints(platform: Platform): Endpoint[] {
  return operations(platform).map((operation) => ({
    method: operation.method,
    path: operation.path,
    contract: contractOf(operation),
    async handle(exchange) {
      const actor = admitActor(exchange.request, operation.access, platform);
      exchange.facts["actor"] = actor.id;
      const { call, idempotency } = await readCall(operation, actor, exchange, platform.nowMs());
      return idempotency ? createOnce(operation, call, idempotency, platform) : operation.run(call);
    },
  }));
}

function contractOf({ operationId, summary, access, query, body, reply, showCreated }: Operation): Contract {
  const { status, ...described } = reply;
  return {
    operationId,
    summary,
    access,
    ...(query && { query }),
    ...(body && { request: body }),
    ...(showCreated && { requestHeaders: { "idempotency-key": "Your name for this creation. The same one again makes nothing new." } }),
    replies: { [status]: described, "4XX": { description: "What is wrong.", problem: problemSchema } },
  };
}
