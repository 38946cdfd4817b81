import type { Config } from "../../config.ts";
import type { DatabaseSettings } from "../../config/database-settings.ts";
import { version } from "../../../package.json" with { type: "json" };
import { buildOf } from "../../lib/this-program.ts";
import { fromTaggedJson, toTaggedJson } from "../../lib/ipc/tagged-json.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { GatewaySettings } from "../services.ts";

/** What the owner tells a gateway process to run with. It reads neither the environment nor the config file: they may have changed. */
export interface ProcessSettings extends GatewaySettings, Pick<Config, "bodiesMaxBytes" | "durability" | "traces" | "logLevel"> {
  readonly hashSecret: Secret;
  /** Whether there is a request log. */
  readonly logsRequests: boolean;
  readonly logFormat: "json" | "text";
  /** The database that processes share, where there is one: the process then has stores of its own. */
  readonly database: ProcessDatabase | undefined;
}

/** What a process needs to open its stores in a database. */
export interface ProcessDatabase
  extends Pick<DatabaseSettings, "url" | "admitSeconds">, Pick<Config, "oldSecret" | "requestLog" | "attributionNames" | "redactFile"> {
  readonly secret: Secret;
}

/** The settings of each gateway process. The memory for request bodies is shared out among them. */
export function settingsFor(config: Config, port: number, hashSecret: Secret, logFormat: "json" | "text"): ProcessSettings {
  const { sendsRouteHeaders, onDisconnect, maxBodyBytes, uploadSeconds, keepAliveSeconds, trustedProxies, cloudVariables, egress } = config;
  const { compatibility, durability, traces, logLevel, bodiesMaxBytes, processes } = config;
  return {
    gateway: { ...config.gateway, port },
    compatibility,
    sendsRouteHeaders,
    onDisconnect,
    maxBodyBytes,
    uploadSeconds,
    keepAliveSeconds,
    trustedProxies,
    cloudVariables,
    egress,
    bodiesMaxBytes: Math.max(maxBodyBytes, Math.floor(bodiesMaxBytes / processes)),
    durability,
    traces,
    logLevel,
    hashSecret,
    logsRequests: config.requestLog.days > 0,
    logFormat,
    database: databaseOf(config),
  };
}

function databaseOf({ database, secret, oldSecret, requestLog, attributionNames, redactFile }: Config): ProcessDatabase | undefined {
  if (!database) return undefined;
  const { url, admitSeconds } = database;
  // `readDatabase` has refused a database without a secret.
  return { url, admitSeconds, secret: secret!, oldSecret, requestLog, attributionNames, redactFile };
}

/** For the message, which is plain JSON. */
export function encodeSettings(settings: ProcessSettings): unknown {
  return toTaggedJson(settings);
}

export function decodeSettings(encoded: unknown): ProcessSettings {
  return fromTaggedJson(encoded) as ProcessSettings;
}

/** Equal for processes of the same build with the same settings. It reveals none of them. */
export function digestOf(encoded: unknown): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([buildOf(version), encoded])).digest("hex");
}
