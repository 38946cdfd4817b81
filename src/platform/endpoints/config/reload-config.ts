import { operators } from "../../../access/access.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const targetsSchema: Schema = {
  type: "array",
  items: {
    title: "DeclaredTarget",
    type: "object",
    required: ["kind", "id"],
    properties: { kind: { type: "string", enum: ["upstream", "model", "account"] }, id: { type: "string" } },
  },
};

const reportSchema: Schema = {
  title: "ReloadReport",
  type: "object",
  required: ["file", "upstreams", "models", "accounts", "changed", "remarks"],
  properties: {
    file: { type: "string" },
    upstreams: { type: "integer", description: "How many the file declares." },
    models: { type: "integer", description: "How many the file declares." },
    accounts: { type: "integer", description: "How many the file declares." },
    changed: {
      title: "DeclaredChanges",
      type: "object",
      description:
        "What is not as it was. All three are empty where the file has not changed. An account that is removed from the file stays as it is.",
      required: ["added", "changed", "removed"],
      properties: { added: targetsSchema, changed: targetsSchema, removed: targetsSchema },
    },
    remarks: { type: "array", items: { type: "string" }, description: "What of it is never used, for want of a price, in words." },
  },
};

/** POST /api/config/reload: reads the config file again. Answers under way end as they began. */
export function reloadConfig(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/config/reload",
    access: operators("config:write"),
    operationId: "reloadConfig",
    summary: "Reads the config file again, and puts it in force if nothing is wrong with it.",
    reply: { status: 200, description: "What has changed.", json: reportSchema },
    async run({ change }) {
      const { config } = platform;
      if (!config) throw new GatewayError("nothing_to_reload", "Tollgate was started without a config file.");
      const target = { kind: "config", id: config.path } as const;
      return Reply.json(await config.forCaller((before, after) => change("config.reload", target, { before, after })));
    },
  });
}
