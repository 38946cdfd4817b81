import type { Preset } from "../../models/preset.ts";
import { PRESET_IDS, presetOf, type PresetId } from "../../models/presets.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { operation, type Operation } from "../operation.ts";
import type { Platform, LastBackup } from "../platform.ts";
import { operators } from "../../access/access.ts";
import { timeSchema } from "./fields.ts";
import { Reply } from "../../lib/http1/server/reply.ts";

const providerSchema = {
  title: "Provider",
  type: "object",
  required: ["id", "name", "dialect", "base_url", "needs_credential", "variable", "note"],
  properties: {
    id: { type: "string", enum: PRESET_IDS, description: "The `preset` value for an upstream of this provider." },
    name: { type: "string" },
    dialect: { type: "string", enum: ["openai", "anthropic", "gemini", "bedrock"] },
    base_url: { type: "string", description: "The base URL. `{…}` marks a part that is specific to the customer." },
    needs_credential: { type: "boolean" },
    variable: { type: "string", nullable: true, description: "The environment variable that usually holds the credential." },
    note: { type: "string", nullable: true, description: "Notes on setting up an upstream of this provider." },
  },
} as const satisfies Schema;

/** A provider preset, as needed to create an upstream. */
function viewProvider(id: PresetId) {
  const preset = presetOf(id);
  return {
    id,
    name: preset.name,
    dialect: preset.dialect,
    base_url: preset.baseUrl,
    needs_credential: !preset.isLocal,
    variable: preset.variables?.[0] ?? null,
    note: noteOn(preset),
  };
}

function noteOn({ baseUrl, isLocal, hasNoModelList }: Preset): string | null {
  const own = [...new Set(baseUrl.match(/\{\w+\}/g))];
  const notes = [
    ...(own.length > 0 ? [`Replace ${own.join(" and ")} in the base URL with your own.`] : []),
    ...(hasNoModelList ? ["It does not list its models: enter their names yourself."] : []),
    ...(isLocal ? ["It runs on your own machine; this is its usual base URL."] : []),
  ];
  return notes.length === 0 ? null : notes.join(" ");
}

/** GET /api/about: the version, the gateway's base URL and the known providers. */
export function showAbout(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/about",
    access: "signed-in",
    operationId: "showAbout",
    summary: "Show the version, the base URL for clients, and the known providers",
    reply: {
      status: 200,
      description: "The installation.",
      json: {
        title: "About",
        type: "object",
        required: ["version", "commit", "gateway_url", "request_log_days", "providers"],
        properties: {
          version: { type: "string" },
          commit: { type: "string", nullable: true, description: "The commit that it was built from; null if it is not known." },
          gateway_url: { type: "string", description: "The base URL for clients. It ends in `/v1`." },
          request_log_days: { type: "integer", description: "Retention of the request log in days; 0 when it is disabled." },
          providers: { type: "array", items: providerSchema, description: "The provider presets that an upstream can use." },
        },
      },
    },
    run: () => ({
      version: platform.version,
      commit: platform.commit,
      gateway_url: `${platform.gatewayUrl}/v1`,
      request_log_days: platform.requestLogDays,
      providers: PRESET_IDS.map(viewProvider),
    }),
  });
}

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

/** GET /api/backups/last: the time and the contents of the last backup. The file itself contains secrets, so this API never returns it. */
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

/** The content type of Prometheus's text format. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export const METRICS_PATH = "/metrics";

/** GET /metrics, the default path of Prometheus. */
export function showMetrics(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: METRICS_PATH,
    access: operators("metrics:read"),
    operationId: "showMetrics",
    summary: "Get all metrics in the Prometheus text format",
    reply: {
      status: 200,
      description: "The Prometheus text format, `text/plain; version=0.0.4`.",
      others: { "text/plain": { type: "string" } },
    },
    isProbe: true,
    async run() {
      return new Reply(await platform.metrics(), { headers: { "content-type": CONTENT_TYPE } });
    },
  });
}
