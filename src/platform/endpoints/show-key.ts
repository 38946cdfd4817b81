import type { Endpoint } from "../../http/endpoint.ts";
import type { KeyRecord } from "../../vocabulary/api-key.ts";
import { GatewayError } from "../../vocabulary/gateway-error.ts";
import type { Platform } from "../platform.ts";
import { viewKey } from "./key-view.ts";

/** GET /api/keys/:id: a key, what it may do and what it has spent. */
export function showKey(platform: Platform): Endpoint {
  return {
    method: "GET",
    path: "/api/keys/:id",
    handle: ({ request }) => Response.json(viewKey(findKey((request.params as { id: string }).id, platform), platform)),
  };
}

export function findKey(id: string, platform: Platform): KeyRecord {
  const key = platform.keys.find(id);
  if (key) return key;
  throw new GatewayError("unknown_key", "There is no key with this id.");
}
