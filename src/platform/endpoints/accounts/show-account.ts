import { members } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { accountSchema, viewAccount } from "./account-view.ts";
import { findAccount } from "./find-account.ts";

/** GET /api/accounts/:id: an account and its balance. */
export function showAccount(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/accounts/:id",
    access: members("accounts:read"),
    operationId: "showAccount",
    summary: "Show an account and its balance",
    reply: { status: 200, description: "The account.", json: accountSchema },
    run: ({ actor, param }) => viewAccount(findAccount(param("id"), actor, platform), platform),
  });
}
