import { operators } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { changesSchema } from "./config-schemas.ts";

const reportSchema = {
  title: "ReloadReport",
  type: "object",
  required: ["file", "upstreams", "models", "price_lists", "accounts", "changed", "warnings"],
  properties: {
    file: { type: "string" },
    upstreams: { type: "integer", description: "The number of upstreams in the file." },
    models: { type: "integer", description: "The number of models in the file." },
    price_lists: { type: "integer", description: "The number of price lists in the file." },
    accounts: { type: "integer", description: "The number of accounts in the file." },
    changed: changesSchema,
    warnings: { type: "array", items: { type: "string" }, description: "Settings that have no effect, such as a model without a price." },
  },
} as const satisfies Schema;

/** POST /api/config/reload: hot reload of the config file. Requests in flight finish with the previous configuration. */
export function reloadConfig(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/config/reload",
    access: operators("config:write"),
    operationId: "reloadConfig",
    summary: "Reload the config file. An invalid file is rejected, and the current configuration stays in force.",
    reply: { status: 200, description: "The changes.", json: reportSchema },
    async run({ change }) {
      const { config } = platform;
      if (!config) throw new ApiError("nothing_to_reload", "Tollgate was started without a config file. Restart it to read one.");
      const target = { kind: "config", id: config.path } as const;
      return await config.reload((before, after) => change("config.reload", target, { before, after }));
    },
  });
}
