import { resolve } from "node:path";
import { BUILT_IN, discoverable, withoutBaseUrl, type MissingBaseUrl } from "./config/environment.ts";
import { type Environment, ConfigError } from "./config/config-error.ts";
import type { ConfigDeclarations } from "./config/config-file.ts";
import { readFileText } from "./config/file-text.ts";
import { readDatabase, readDurability, type DatabaseSettings } from "./config/database-settings.ts";
import { readOidc, type OidcProvider } from "./config/oidc-settings.ts";
import { readListener, refuseOverlap, type ListenerSettings } from "./config/listener-settings.ts";
import { readGatewayUrl, readPlatformUrl } from "./config/public-url.ts";
import { readSmtp } from "./config/smtp-settings.ts";
import { readProcesses, type StartOptions } from "./config/process-count.ts";
import { readTraces } from "./config/trace-settings.ts";
import { readEgress } from "./config/egress-settings.ts";
import { readCloudVariables } from "./config/read-cloud-variables.ts";
import { LISTENERS, ownVariables, readChoice, readInteger, readRanges, readSecret, SETTINGS } from "./config/variables.ts";
import type { AddressRange } from "./lib/net/ip-address.ts";
import type { MailServer } from "./alerts/mail-call.ts";
import { LOG_LEVELS, type LogLevel } from "./lib/log/log-level.ts";
import type { Secret } from "./lib/secret/secret.ts";
import type { TraceSettings } from "./telemetry/traces/trace-settings.ts";
import type { EgressSettings } from "./models/egress-proxy.ts";
import type { CloudVariables } from "./models/identities/cloud-variables.ts";
import { DISCONNECT_POLICIES, type DisconnectPolicy } from "./requests/disconnect-policy.ts";
import type { RemoteSettings } from "./models/upstream-settings.ts";
import { statSync } from "node:fs";
import { idOfApiKey } from "./access/api-key.ts";
import { CREDENTIAL_VARIABLES } from "./models/presets.ts";

export { SETTINGS };

export interface Config {
  readonly gateway: ListenerSettings;
  readonly platform: ListenerSettings;
  /** The gateway's public URL, without `/v1`, if it differs from where it listens. */
  readonly gatewayUrl: string | undefined;
  readonly dataFolder: string;
  /** The database that processes on several machines share. Without one, everything is in the data folder. */
  readonly database: DatabaseSettings | undefined;
  /** The platform's public URL, if it differs from where it listens. */
  readonly platformUrl: URL | undefined;
  /** Trusted proxies, whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly AddressRange[];
  /** The OpenID provider for SSO, if there is one. */
  readonly oidc: OidcProvider | undefined;
  /** The mail server for alerts, if there is one. */
  readonly smtp: MailServer | undefined;
  /** Undefined to generate one in the data folder. */
  readonly operatorToken: Secret | undefined;
  /** The secret that encrypts upstream credentials, if it is not the one in the data folder. */
  readonly secret: Secret | undefined;
  /** The previous secret, during its rotation. */
  readonly oldSecret: Secret | undefined;
  /** The secret that keys are hashed with, if it is not the one in the data folder. */
  readonly hashSecret: Secret | undefined;
  readonly maxBodyBytes: number;
  /** The memory budget of all request bodies together. */
  readonly bodiesMaxBytes: number;
  /** The upload deadline of a request body. */
  readonly uploadSeconds: number;
  /** The keep-alive timeout of authenticated connections. */
  readonly keepAliveSeconds: number;
  /** The drain timeout of a shutdown. */
  readonly drainSeconds: number;
  /** The number of gateway processes. With 1, a single process does everything. */
  readonly processes: number;
  /** Whether responses have the route headers, with the upstream and the number of attempts. */
  readonly sendsRouteHeaders: boolean;
  /** What happens to a call whose client disconnects. */
  readonly onDisconnect: DisconnectPolicy;
  /** What a charge survives: a crash of the process, also a power failure, or also the loss of the machine. */
  readonly durability: "process" | "power" | "cluster";
  /** The minimum level of log lines. */
  readonly logLevel: LogLevel;
  /** Undefined means: text if stdout is a terminal, otherwise JSON. */
  readonly logFormat: "json" | "text" | undefined;
  /** Retention of the request log in days, 0 to disable it, and its maximum size. */
  readonly requestLog: { readonly days: number; readonly maxBytes: number };
  /** The maximum number of end users, of conversations and of values of a tag that usage reports name per account and day. */
  readonly attributionNames: number;
  /** The trace exporter; undefined when tracing is off. */
  readonly traces: TraceSettings | undefined;
  /** Where systemd expects state notifications of this process: its `NOTIFY_SOCKET`. */
  readonly notifySocket: string | undefined;
  /** Whether npx has started this process. */
  readonly isRunByNpx: boolean;
  /** The redaction hook, a module that sees prompts and responses before they are logged. */
  readonly redactFile: string | undefined;
  /** The config file, if there is one. */
  readonly file: string | undefined;
  /** The declared upstreams, models and accounts. */
  readonly declared: ConfigDeclarations;
  readonly compatibility: ConfigDeclarations["compatibility"];
  /** Upstreams for model discovery at startup. Empty with a config file. */
  readonly discover: readonly RemoteSettings[];
  /** The variables of clouds, for upstreams with an identity. */
  readonly cloudVariables: CloudVariables;
  /** The proxy through which upstreams are called, if there is one. */
  readonly egress: EgressSettings | undefined;
  /** Providers that have a credential but no base URL. */
  readonly withoutBaseUrl: readonly MissingBaseUrl[];
}

/** The configuration of a platform client, without the gateway's own settings. */
export type ClientConfig = Pick<Config, "platform" | "platformUrl" | "dataFolder" | "operatorToken"> & {
  /** A personal access token, which takes precedence over the operator token. */
  readonly accessToken: Secret | undefined;
};

/** The settings of storage, for commands that use it without a gateway. The secrets that a gateway with a database needs may be missing. */
export type StorageConfig = Pick<
  Config,
  | "dataFolder"
  | "database"
  | "secret"
  | "oldSecret"
  | "hashSecret"
  | "operatorToken"
  | "durability"
  | "requestLog"
  | "attributionNames"
  | "processes"
>;

const MIB = 1024 * 1024;

/** Reads the environment and the config file; nothing else does. Throws `ConfigError` for invalid settings. */
export async function loadConfig(given: Environment = process.env, options: StartOptions = {}): Promise<Config> {
  const env = ownVariables(given, Object.values(SETTINGS));
  refuseReusedSecrets(env, SETTINGS);
  const gateway = readGatewayListener(env);
  const platform = readPlatformListener(env);
  refuseOverlap(gateway, platform, LISTENERS);
  await checkTls(gateway, platform);
  const file = findFile(env, SETTINGS.config);
  const maxBodyBytes = readInteger(env, SETTINGS.maxBodyBytes, 20 * MIB, 1024, 1024 * MIB);
  const declared = file === undefined ? BUILT_IN : await readDeclared(file, env, options.withoutSecrets);
  const storage = readStorage(env, options, [SETTINGS.secret, SETTINGS.hashSecret, SETTINGS.operatorToken]);
  return Object.freeze({
    ...storage,
    gateway,
    platform,
    gatewayUrl: readGatewayUrl(env, SETTINGS, gateway),
    platformUrl: storage.database?.role === "gateway" ? undefined : readPlatformUrl(env, SETTINGS, platform),
    trustedProxies: readRanges(env, SETTINGS.trustedProxies),
    oidc: readOidc(env, SETTINGS),
    smtp: readSmtp(env, SETTINGS),
    maxBodyBytes,
    // A body of the maximum size must fit, however large that size is.
    bodiesMaxBytes: readInteger(env, SETTINGS.bodiesMaxBytes, Math.max(256 * MIB, 2 * maxBodyBytes), 1024, Number.MAX_SAFE_INTEGER),
    uploadSeconds: readInteger(env, SETTINGS.uploadSeconds, 120, 1, 3600),
    keepAliveSeconds: readInteger(env, SETTINGS.keepAliveSeconds, 75, 1, 86_400),
    drainSeconds: readInteger(env, SETTINGS.drainSeconds, 30, 0, 86_400),
    sendsRouteHeaders: readChoice(env, SETTINGS.routeHeaders, ["on", "off"]) === "on",
    onDisconnect: readChoice(env, SETTINGS.onDisconnect, DISCONNECT_POLICIES),
    logLevel: readChoice(env, SETTINGS.logLevel, LOG_LEVELS, "info"),
    logFormat: env[SETTINGS.logFormat] ? readChoice(env, SETTINGS.logFormat, ["json", "text"]) : undefined,
    traces: readTraces(env, readChoice(env, SETTINGS.traceContent, ["off", "on"]) === "on"),
    notifySocket: env["NOTIFY_SOCKET"] || undefined,
    isRunByNpx: env["npm_command"] === "exec",
    redactFile: env[SETTINGS.redact] ? findNamed(env, SETTINGS.redact) : undefined,
    file,
    declared,
    compatibility: declared.compatibility,
    discover: file === undefined ? discoverable(env) : [],
    cloudVariables: readCloudVariables(env),
    egress: readEgress(env, SETTINGS),
    withoutBaseUrl: file === undefined ? withoutBaseUrl(env) : [],
  });
}

/** Reads the settings of storage alone, without the config file. */
export function loadStorageConfig(given: Environment = process.env, options: StartOptions = {}): StorageConfig {
  const env = ownVariables(given, Object.values(SETTINGS));
  refuseReusedSecrets(env, SETTINGS);
  return readStorage(env, options, []);
}

/** `needed`: the variables that must be set with a database. */
function readStorage(env: Environment, options: StartOptions, needed: readonly string[]): StorageConfig {
  const processes = readProcesses(options, env, SETTINGS.processes);
  const database = readDatabase(env, { ...SETTINGS, shared: options.withoutSecrets ? [] : needed }, { role: options.role, processes });
  return {
    dataFolder: resolve(env[SETTINGS.data] || "data"),
    database,
    operatorToken: readSecret(env, SETTINGS.operatorToken, 16),
    secret: readSecret(env, SETTINGS.secret, 32),
    oldSecret: readSecret(env, SETTINGS.oldSecret, 32),
    hashSecret: readSecret(env, SETTINGS.hashSecret, 32),
    durability: readDurability(env, SETTINGS, database),
    requestLog: {
      days: readInteger(env, SETTINGS.requestLogDays, 30, 0, 3650),
      maxBytes: readInteger(env, SETTINGS.requestLogMaxBytes, 10 * 1024 ** 3, 1024 ** 2, Number.MAX_SAFE_INTEGER),
    },
    attributionNames: readInteger(env, SETTINGS.attributionNames, 10_000, 1, 1_000_000),
    processes,
  };
}

/** Reads the address of the health checks of this machine's gateway. They are on the platform's listener if only the platform is served. */
export function loadProbeListener(given: Environment = process.env): ListenerSettings {
  const env = ownVariables(given, Object.values(SETTINGS));
  return env[SETTINGS.role] === "platform" ? readPlatformListener(env) : readGatewayListener(env);
}

/** For the import of a config file whose variables belong to another gateway. */
export const processEnvironment = (): Environment => process.env;

/** Whether text should have no colours: https://no-color.org */
export const wantsNoColor = (env: Environment = process.env): boolean => Boolean(env["NO_COLOR"]);

/** Reads the settings that the command line needs to call a platform, local or remote. It does not read the config file. */
export function loadClientConfig(given: Environment = process.env): ClientConfig {
  const env = ownVariables(given, Object.values(SETTINGS));
  const platform = readPlatformListener(env);
  return {
    platform,
    platformUrl: env[SETTINGS.platformUrl] ? readPlatformUrl(env, SETTINGS, platform) : undefined,
    dataFolder: resolve(env[SETTINGS.data] || "data"),
    operatorToken: readSecret(env, SETTINGS.operatorToken, 16),
    accessToken: readSecret(env, SETTINGS.accessToken, 16),
  };
}

const readGatewayListener = (env: Environment): ListenerSettings => readListener(env, LISTENERS.gateway, 8700);
const readPlatformListener = (env: Environment): ListenerSettings => readListener(env, LISTENERS.platform, 8701);

/**
 * Reads the config file at startup, for a reload, or for a check, which accepts missing variables. Throws `ConfigError`, with the position,
 * if the file is invalid.
 */
export async function readDeclared(file: string, env: Environment = process.env, mayMiss = false): Promise<ConfigDeclarations> {
  // Loaded lazily: a gateway without a config file does not need a YAML parser.
  const { parseConfigFile } = await import("./config/config-file.ts");
  const { text, modifiedAtMs, isOpenToAll } = readFileText(file, "redirect credentials");
  return parseConfigFile(text, file, env, Math.floor(modifiedAtMs / 1000), { isOpenToAll, mayMiss });
}

/**
 * The environment of a gateway process. It lacks Tollgate's settings, which the process gets from its owner, and so it lacks the operator
 * token.
 */
export function withoutSettings(env: Environment = process.env): Environment {
  const own: ReadonlySet<string> = new Set(Object.values(SETTINGS));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.has(name)));
}

/** The cloud variables of this process, for a config file that is checked without a gateway. */
export const cloudVariables = (env: Environment = process.env): CloudVariables => readCloudVariables(env);

const DEFAULT_FILE = "tollgate.yaml";

/** The config file: the file that the setting names, otherwise the default file in the working directory, if it exists. */
function findFile(env: Environment, setting: string): string | undefined {
  if (env[setting]) return findNamed(env, setting);
  const path = resolve(DEFAULT_FILE);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  if (statSync(resolve("tollgate.yml"), { throwIfNoEntry: false })) {
    throw new ConfigError(`found tollgate.yml: rename it to ${DEFAULT_FILE}`);
  }
  return undefined;
}

/** The file that a setting names. */
function findNamed(env: Environment, setting: string): string {
  const path = resolve(env[setting]!);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return path;
  throw new ConfigError(`${setting} is ${path}, which ${stats ? "is not a file" : "does not exist"}`);
}

/** Throws `ConfigError` for a certificate or a key that cannot be used. */
async function checkTls(...listeners: readonly ListenerSettings[]): Promise<void> {
  const files = listeners.flatMap(({ tls }) => tls ?? []);
  if (files.length === 0) return;
  // Loaded lazily: most gateways are behind a proxy, and need no cryptography for TLS.
  const { readTlsPair } = await import("./config/tls/read-tls-pair.ts");
  for (const each of files) readTlsPair(each);
}

/** The names of the variables. */
interface SecretVariables {
  readonly operatorToken: string;
  readonly secret: string;
  readonly oldSecret: string;
  readonly hashSecret: string;
  readonly oidcClientSecret: string;
}

/** Each secret must be different, so that knowing one does not reveal another. */
export function refuseReusedSecrets(env: Environment, names: SecretVariables): void {
  if (env[names.oldSecret] && !env[names.secret]) {
    throw new ConfigError(`${names.oldSecret} is the previous value of ${names.secret}, which is not set`);
  }
  if (idOfApiKey(env[names.operatorToken] ?? "") !== undefined) {
    throw new ConfigError(`${names.operatorToken} is a key for model calls: its holder would be an operator`);
  }
  const own = [names.operatorToken, names.secret, names.oldSecret, names.hashSecret, names.oidcClientSecret];
  const all = [...own, ...CREDENTIAL_VARIABLES];
  for (const [at, name] of own.entries()) {
    const same = all.slice(at + 1).find((other) => env[name] && env[name] === env[other]);
    if (same !== undefined) throw new ConfigError(`${name} and ${same} are equal: each needs its own secret`);
  }
}
