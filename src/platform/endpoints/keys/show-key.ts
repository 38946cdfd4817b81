import { members } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findKey } from "./find-key.ts";
import { keySchema, viewKey } from "./key-view.ts";

/** GET /api/keys/:id: a key with its permissions and spend. */
export function showKey(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/keys/:id",
    access: members("keys:read"),
    operationId: "showKey",
    summary: "Show a key with its permissions and spend",
    reply: { status: 200, description: "The key.", json: keySchema },
    run: async ({ actor, param }) => await viewKey(findKey(param("id"), actor, platform), platform),
  });
}
