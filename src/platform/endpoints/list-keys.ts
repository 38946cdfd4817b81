import type { Endpoint } from "../../http/endpoint.ts";
import type { Platform } from "../platform.ts";
import { viewKey } from "./key-view.ts";

/** GET /api/keys: every key, newest first. */
export function listKeys(platform: Platform): Endpoint {
  return {
    method: "GET",
    path: "/api/keys",
    async handle() {
      const records = await platform.keys.list();
      return Response.json({ data: records.map((record) => viewKey(record, platform)) });
    },
  };
}
