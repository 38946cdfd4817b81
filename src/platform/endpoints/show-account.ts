import type { Endpoint } from "../../http/endpoint.ts";
import type { Platform } from "../platform.ts";
import { findAccount, viewAccount } from "./account-view.ts";

/** GET /api/accounts/:id: an account and its balance. */
export function showAccount(platform: Platform): Endpoint {
  return {
    method: "GET",
    path: "/api/accounts/:id",
    handle: ({ request }) => Response.json(viewAccount(findAccount((request.params as { id: string }).id, platform), platform)),
  };
}
