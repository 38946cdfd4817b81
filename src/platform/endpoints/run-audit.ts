import type { Endpoint } from "../../http/endpoint.ts";
import { audit } from "../audit/auditor.ts";
import type { Platform } from "../platform.ts";

/** GET /api/audit: adds everything up anew and says where the ledger disagrees with itself. 200 either way. */
export function runAudit(platform: Platform): Endpoint {
  return {
    method: "GET",
    path: "/api/audit",
    async handle(exchange) {
      // Nothing is sent until all of it was read, however long that takes.
      exchange.allowSilence(0);
      const { signal } = exchange.request;
      const keyIds = (await platform.keys.list()).map((key) => key.id);
      return Response.json(await audit({ ledger: platform.ledger, keyIds, nowMs: platform.nowMs(), signal }));
    },
  };
}
