import type { Endpoint } from "../../http/endpoint.ts";
import { GatewayError } from "../../vocabulary/gateway-error.ts";
import type { Platform } from "../platform.ts";
import { viewKey } from "./key-view.ts";

/** DELETE /api/keys/:id: the key stops working with the next request. Its record stays, so that the past keeps its names. */
export function revokeKey(platform: Platform): Endpoint {
  return {
    method: "DELETE",
    path: "/api/keys/:id",
    async handle({ request }) {
      const { id } = request.params as { id: string };
      const record = await platform.keys.revoke(id, platform.nowMs());
      if (!record) throw new GatewayError("unknown_key", "There is no key with this id.");
      return Response.json(viewKey(record, platform));
    },
  };
}
