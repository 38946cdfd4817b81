import type { Schema } from "../../lib/schema/schema.ts";
import { operators } from "../../access/access.ts";
import { operation, type Operation } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { timeSchema, viewTime } from "./fields.ts";
import { ApiError } from "../../requests/api-error.ts";

const targetsSchema = {
  type: "array",
  items: {
    title: "DeclaredTarget",
    type: "object",
    required: ["kind", "id"],
    properties: { kind: { type: "string", enum: ["upstream", "model", "price_list", "account", "endpoint"] }, id: { type: "string" } },
  },
} as const satisfies Schema;

const changesProperties = { added: targetsSchema, changed: targetsSchema, removed: targetsSchema } as const;

/** The difference between two configurations. */
const changesSchema = {
  title: "DeclaredChanges",
  type: "object",
  description:
    "Differences to the previous configuration. All three lists are empty when the file has not changed. An account that is removed from the file keeps its settings.",
  required: ["added", "changed", "removed"],
  properties: changesProperties,
} as const satisfies Schema;

/** GET /api/config: the config file, its declared resources, and the differences of the file on disk. Nothing changes. */
export function showConfig(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/config",
    access: operators("config:write"),
    operationId: "showConfig",
    summary: "Show the config file: its declared resources, its last load, and the changes that a reload would make",
    reply: {
      status: 200,
      description: "The config file of the process that responds.",
      json: {
        title: "ConfigFile",
        type: "object",
        required: ["file", "loaded_at", "declared", "pending", "problem"],
        properties: {
          file: { type: "string", nullable: true, description: "The path; null when Tollgate was started without a config file." },
          loaded_at: { ...timeSchema, nullable: true, description: "The time of the last successful load." },
          declared: { ...targetsSchema, description: "The declared resources that are in force." },
          pending: {
            ...changesSchema,
            title: "PendingChanges",
            nullable: true,
            description: "The changes that a reload would make now; null when the file would be rejected.",
          },
          problem: { type: "string", nullable: true, description: "Why a reload would reject the file; null when it is valid." },
        },
      },
    },
    async run() {
      const { config } = platform;
      if (!config) return { file: null, loaded_at: null, declared: [], pending: { added: [], changed: [], removed: [] }, problem: null };
      const { declared, pending, problem } = await config.compare();
      const loadedAt = viewTime(config.state.inForceSinceMs);
      return { file: config.path, loaded_at: loadedAt, declared, pending: pending ?? null, problem: problem ?? null };
    },
  });
}

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
