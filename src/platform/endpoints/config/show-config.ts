import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { timeSchema, viewTime } from "../fields/times.ts";
import { changesSchema, targetsSchema } from "./config-schemas.ts";

/** GET /api/config: the config file, what it declares, and how the file on disk differs from that. Nothing changes. */
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
