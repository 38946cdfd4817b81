import type { Endpoint } from "../../http/endpoint.ts";
import type { Platform } from "../platform.ts";
import { viewAccount } from "./account-view.ts";

/** GET /api/accounts: every account, by id. */
export function listAccounts(platform: Platform): Endpoint {
  return {
    method: "GET",
    path: "/api/accounts",
    async handle() {
      const accounts = await platform.accounts.list();
      return Response.json({ data: accounts.map((account) => viewAccount(account, platform)) });
    },
  };
}
