import type { Config } from "../../config.ts";
import type { DatabaseSettings } from "../../config/database-settings.ts";
import { version } from "../../../package.json" with { type: "json" };
import { buildOf } from "../../lib/this-program.ts";
import { fromTaggedJson, toTaggedJson } from "../../lib/ipc/tagged-json.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { GatewaySettings } from "../services.ts";

/**
 * The settings that the owner sends to a gateway process. A gateway process does not read the environment or the config file, because they
 * may have changed.
 */
export interface ProcessSettings extends GatewaySettings, Pick<Config, "bodiesMaxBytes" | "durability" | "traces" | "logLevel"> {
  readonly hashSecret: Secret;
  /** Whether there is a request log. */
  readonly logsRequests: boolean;
  readonly logFormat: "json" | "text";
  /** The database that processes share, if there is one: the process then has its own stores. */
  readonly database: ProcessDatabase | undefined;
}

/** The settings with which a process opens its stores in a database. */
export interface ProcessDatabase
  extends Pick<DatabaseSettings, "url" | "admitSeconds">, Pick<Config, "oldSecret" | "requestLog" | "attributionNames" | "redactFile"> {
  readonly secret: Secret;
}

/** The settings of each gateway process. The memory for request bodies is divided among the processes. */
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
  // `readDatabase` has rejected a database without a secret.
  return { url, admitSeconds, secret: secret!, oldSecret, requestLog, attributionNames, redactFile };
}

/** Encodes the settings for the IPC message, which is plain JSON. */
export function encodeSettings(settings: ProcessSettings): unknown {
  return toTaggedJson(settings);
}

export function decodeSettings(encoded: unknown): ProcessSettings {
  return fromTaggedJson(encoded) as ProcessSettings;
}

/** A digest that is equal for processes of the same build with the same settings. It reveals none of the settings. */
export function digestOf(encoded: unknown): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([buildOf(version), encoded])).digest("hex");
}
