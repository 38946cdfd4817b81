import { operators } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { LastBackup, Platform } from "../../platform.ts";
import { timeSchema } from "../fields/times.ts";

const lastBackupSchema = {
  title: "LastBackup",
  type: "object",
  nullable: true,
  description: "The last backup that was made on the machine that responds; null when none is known.",
  required: ["created_at", "path", "bytes", "version", "entries", "hash_secret", "credentials", "request_log_days", "unshipped"],
  properties: {
    created_at: timeSchema,
    path: { type: "string", description: "The file. It may have been moved or deleted since." },
    bytes: { type: "integer" },
    version: { type: "string", description: "The version that made it." },
    entries: { type: "integer", description: "The ledger entries in it, which the auditor has verified." },
    hash_secret: { type: "boolean", description: "Whether it has the secret without which no key is valid." },
    credentials: { type: "boolean", description: "Whether it has the secret that decrypts credentials of upstreams." },
    request_log_days: { type: "integer", description: "The days of the request log in it." },
    unshipped: {
      type: "array",
      items: { type: "string" },
      description: "Processes whose latest charges may be missing in it.",
    },
  },
} as const satisfies Schema;

/** GET /api/backups/last: when the last backup was made, and what is in it. The file itself has secrets, and never leaves its disk by this API. */
export function showLastBackup(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/backups/last",
    access: operators("config:write"),
    operationId: "showLastBackup",
    summary: "Show the last backup: its time, file and contents",
    reply: {
      status: 200,
      description: "The last backup.",
      json: { title: "BackupStatus", type: "object", required: ["last"], properties: { last: lastBackupSchema } },
    },
    async run() {
      const last = platform.lastBackup();
      return { last: last ? view(last) : null };
    },
  });
}

function view({ createdAt, path, bytes, version, entries, files, unshipped }: LastBackup) {
  return {
    created_at: createdAt,
    path,
    bytes,
    version,
    entries,
    hash_secret: files.includes("hash-secret"),
    credentials: files.includes("secret"),
    request_log_days: files.filter((name) => name.startsWith("requests/")).length,
    unshipped,
  };
}
