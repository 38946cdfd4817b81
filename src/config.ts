import { statSync } from "node:fs";
import { resolve } from "node:path";
import { BUILT_IN, discoverable, unplaced, type Unplaced } from "./config/environment.ts";
import { ConfigError, type Environment } from "./config/config-error.ts";
import type { Declared } from "./config/config-file.ts";
import { readConfigText } from "./config/file-text.ts";
import { isLoopback, readPublicUrl } from "./config/public-url.ts";
import { readTraces } from "./config/trace-settings.ts";
import { ownVariables, readChoice, readHost, readInteger, readPort, readRanges, readSecret } from "./config/variables.ts";
import { idOfApiKey } from "./access/api-key.ts";
import type { AddressRange } from "./lib/net/ip-address.ts";
import { LOG_LEVELS, type LogLevel } from "./lib/log/log-level.ts";
import { Secret } from "./lib/secret/secret.ts";
import { CREDENTIAL_VARIABLES } from "./models/presets.ts";
import type { TraceSettings } from "./telemetry/traces/trace-settings.ts";
import type { RemoteSettings } from "./models/upstream-settings.ts";

/** The names this file reads from the environment. docs/configuration.md explains each, and a test keeps the two equal. */
export const SETTINGS = {
  host: "TOLLGATE_HOST",
  port: "TOLLGATE_PORT",
  gatewayUrl: "TOLLGATE_GATEWAY_URL",
  platformHost: "TOLLGATE_PLATFORM_HOST",
  platformPort: "TOLLGATE_PLATFORM_PORT",
  platformUrl: "TOLLGATE_PLATFORM_URL",
  trustedProxies: "TOLLGATE_TRUSTED_PROXIES",
  oidcIssuer: "TOLLGATE_OIDC_ISSUER",
  oidcClientId: "TOLLGATE_OIDC_CLIENT_ID",
  oidcClientSecret: "TOLLGATE_OIDC_CLIENT_SECRET",
  data: "TOLLGATE_DATA",
  config: "TOLLGATE_CONFIG",
  operatorToken: "TOLLGATE_OPERATOR_TOKEN",
  accessToken: "TOLLGATE_ACCESS_TOKEN",
  maxBodyBytes: "TOLLGATE_MAX_BODY_BYTES",
  bodiesMaxBytes: "TOLLGATE_BODIES_MAX_BYTES",
  uploadSeconds: "TOLLGATE_UPLOAD_SECONDS",
  keepAliveSeconds: "TOLLGATE_KEEP_ALIVE_SECONDS",
  drainSeconds: "TOLLGATE_DRAIN_SECONDS",
  routeHeaders: "TOLLGATE_ROUTE_HEADERS",
  durability: "TOLLGATE_DURABILITY",
  logLevel: "TOLLGATE_LOG_LEVEL",
  logFormat: "TOLLGATE_LOG_FORMAT",
  requestLogDays: "TOLLGATE_REQUEST_LOG_DAYS",
  requestLogMaxBytes: "TOLLGATE_REQUEST_LOG_MAX_BYTES",
  redact: "TOLLGATE_REDACT",
  secret: "TOLLGATE_SECRET",
  oldSecret: "TOLLGATE_OLD_SECRET",
  traceContent: "TOLLGATE_TRACE_CONTENT",
} as const;

export interface Address {
  readonly hostname: string;
  readonly port: number;
}

export interface OidcProvider {
  /** As the provider writes it. */
  readonly issuer: string;
  readonly clientId: string;
  /** A public client has none. */
  readonly clientSecret: Secret | undefined;
}

export interface Config {
  readonly gateway: Address;
  readonly platform: Address;
  /** Where clients reach the gateway, without `/v1`, if that is not where it listens. */
  readonly gatewayUrl: string | undefined;
  readonly dataFolder: string;
  /** Where people reach the platform, if that is not where it listens. */
  readonly platformUrl: URL | undefined;
  /** Where proxies of ours call the platform from: what they say of who calls is believed. */
  readonly trustedProxies: readonly AddressRange[];
  /** The OpenID provider that people can sign in with, if there is one. */
  readonly oidc: OidcProvider | undefined;
  /** Undefined where one is to be made and kept in the data folder. */
  readonly operatorToken: Secret | undefined;
  /** What seals our credentials at upstreams, where it is not left to the data folder. */
  readonly secret: Secret | undefined;
  /** The one before it. */
  readonly oldSecret: Secret | undefined;
  readonly maxBodyBytes: number;
  /** The memory that all request bodies may take together. */
  readonly bodiesMaxBytes: number;
  /** How long one of them may take to be received. */
  readonly uploadSeconds: number;
  /** How long a connection of an authenticated client may be idle. */
  readonly keepAliveSeconds: number;
  /** How long a shutdown waits for the requests in flight. */
  readonly drainSeconds: number;
  /** Whether callers are told which upstream answered, and after how many tries. */
  readonly tellsRoutes: boolean;
  /** What a charge outlives: the end of the process, or of the machine. */
  readonly durability: "process" | "power";
  /** Lines of this level and above it are logged. */
  readonly logLevel: LogLevel;
  /** Undefined where it depends on who reads the log. */
  readonly logFormat: "json" | "text" | undefined;
  /** How many days the request log goes back, 0 for none, and how much room it may have. */
  readonly requestLog: { readonly days: number; readonly maxBytes: number };
  /** Where traces go. Undefined where they are off. */
  readonly traces: TraceSettings | undefined;
  /** The module that sees what is said before the request log keeps it, if there is one. */
  readonly redactFile: string | undefined;
  /** The file that declares upstreams and models, if there is one. */
  readonly file: string | undefined;
  /** What there is to call, and where. */
  readonly declared: Declared;
  /** Upstreams to ask for their models at the start. None where a file declares what there is. */
  readonly discover: readonly RemoteSettings[];
  /** Those that were meant to be asked, and are nowhere. */
  readonly unplaced: readonly Unplaced[];
}

/** What a client of the platform needs, and nothing of what only the gateway does. */
export type ClientConfig = Pick<Config, "platform" | "platformUrl" | "dataFolder" | "operatorToken"> & {
  /** A person's own token, which comes before the operator token. */
  readonly accessToken: Secret | undefined;
};

/** What programs find on the platform. Behind a proxy that takes a path off, and one that leaves it on, each would mean two things. */
const OWN_PATH = /^\/(api|assets|docs|metrics)(?=\/|$)/;

const MIB = 1024 * 1024;

const DEFAULT_FILE = "tollgate.yaml";

/** Reads the environment and the config file: the only place that does. Throws `ConfigError` for what cannot be used. */
export async function loadConfig(given: Environment = process.env): Promise<Config> {
  const env = ownVariables(given, Object.values(SETTINGS));
  refuseReusedSecrets(env);
  const gateway = { hostname: readHost(env, SETTINGS.host), port: readPort(env, SETTINGS.port, 8700) };
  const platform = readPlatformAddress(env);
  refuseOverlap(gateway, platform);
  const file = findFile(env);
  const maxBodyBytes = readInteger(env, SETTINGS.maxBodyBytes, 20 * MIB, 1024, 1024 * MIB);
  const declared = file === undefined ? BUILT_IN : await readDeclared(file, env);
  return Object.freeze({
    gateway,
    platform,
    gatewayUrl: readGatewayUrl(env),
    platformUrl: readPlatformUrl(env, platform),
    trustedProxies: readRanges(env, SETTINGS.trustedProxies),
    oidc: readOidc(env),
    dataFolder: resolve(env[SETTINGS.data] || "data"),
    operatorToken: readSecret(env, SETTINGS.operatorToken, 16),
    secret: readSecret(env, SETTINGS.secret, 32),
    oldSecret: readSecret(env, SETTINGS.oldSecret, 32),
    maxBodyBytes,
    // One body alone must fit, however large an operator lets it be.
    bodiesMaxBytes: readInteger(env, SETTINGS.bodiesMaxBytes, Math.max(256 * MIB, 2 * maxBodyBytes), 1024, Number.MAX_SAFE_INTEGER),
    uploadSeconds: readInteger(env, SETTINGS.uploadSeconds, 120, 1, 3600),
    keepAliveSeconds: readInteger(env, SETTINGS.keepAliveSeconds, 75, 1, 86_400),
    drainSeconds: readInteger(env, SETTINGS.drainSeconds, 30, 0, 86_400),
    tellsRoutes: readChoice(env, SETTINGS.routeHeaders, ["on", "off"]) === "on",
    durability: readChoice(env, SETTINGS.durability, ["process", "power"]),
    logLevel: readChoice(env, SETTINGS.logLevel, LOG_LEVELS, "info"),
    logFormat: env[SETTINGS.logFormat] ? readChoice(env, SETTINGS.logFormat, ["json", "text"]) : undefined,
    requestLog: {
      days: readInteger(env, SETTINGS.requestLogDays, 30, 0, 3650),
      maxBytes: readInteger(env, SETTINGS.requestLogMaxBytes, 10 * 1024 ** 3, 1024 ** 2, Number.MAX_SAFE_INTEGER),
    },
    traces: readTraces(env, readChoice(env, SETTINGS.traceContent, ["off", "on"]) === "on"),
    redactFile: env[SETTINGS.redact] ? findNamed(env, SETTINGS.redact) : undefined,
    file,
    declared,
    discover: file === undefined ? discoverable(env) : [],
    unplaced: file === undefined ? unplaced(env) : [],
  });
}

/** Whether somebody wants text without colours: https://no-color.org */
export function wantsNoColor(env: Environment = process.env): boolean {
  return Boolean(env["NO_COLOR"]);
}

/** Reads what the command line needs to call a platform, here or elsewhere. No file: one that is wrong is not its business. */
export function loadClientConfig(given: Environment = process.env): ClientConfig {
  const env = ownVariables(given, Object.values(SETTINGS));
  const platform = readPlatformAddress(env);
  return {
    platform,
    platformUrl: env[SETTINGS.platformUrl] ? readPlatformUrl(env, platform) : undefined,
    dataFolder: resolve(env[SETTINGS.data] || "data"),
    operatorToken: readSecret(env, SETTINGS.operatorToken, 16),
    accessToken: readSecret(env, SETTINGS.accessToken, 16),
  };
}

function readPlatformAddress(env: Environment): Address {
  return { hostname: readHost(env, SETTINGS.platformHost), port: readPort(env, SETTINGS.platformPort, 8701) };
}

/** The platform must not be where clients are let in, nor hidden behind it. The system would notice only at the second listener. */
function refuseOverlap(gateway: Address, platform: Address): void {
  const stands = (one: Address, other: Address): boolean => /^(0\.0\.0\.0|::)$/.test(one.hostname) || one.hostname === other.hostname;
  const isOneHost =
    stands(gateway, platform) || stands(platform, gateway) || (isLoopback(gateway.hostname) && isLoopback(platform.hostname));
  if (gateway.port === 0 || gateway.port !== platform.port || !isOneHost) return;
  throw new ConfigError(
    `${SETTINGS.port} and ${SETTINGS.platformPort} are both ${gateway.port}: clients and operators have a listener each, on a port each`,
  );
}

/** Who is given one secret must not have another with it. */
function refuseReusedSecrets(env: Environment): void {
  if (env[SETTINGS.oldSecret] && !env[SETTINGS.secret]) {
    throw new ConfigError(`${SETTINGS.oldSecret} is what ${SETTINGS.secret} was before, and that is not set`);
  }
  if (idOfApiKey(env[SETTINGS.operatorToken] ?? "") !== undefined) {
    throw new ConfigError(`${SETTINGS.operatorToken} is a key for model calls: whoever calls a model with it would be an operator`);
  }
  const own = [SETTINGS.operatorToken, SETTINGS.secret, SETTINGS.oldSecret, SETTINGS.oidcClientSecret];
  const all = [...own, ...CREDENTIAL_VARIABLES];
  for (const [at, name] of own.entries()) {
    const same = all.slice(at + 1).find((other) => env[name] && env[name] === env[other]);
    if (same !== undefined) throw new ConfigError(`${name} and ${same} are the same: each needs a secret of its own`);
  }
}

function findFile(env: Environment): string | undefined {
  if (env[SETTINGS.config]) return findNamed(env, SETTINGS.config);
  const path = resolve(DEFAULT_FILE);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  if (statSync(resolve("tollgate.yml"), { throwIfNoEntry: false })) {
    throw new ConfigError(`there is a tollgate.yml: its name must be ${DEFAULT_FILE}`);
  }
  return undefined;
}

function findNamed(env: Environment, setting: string): string {
  const path = resolve(env[setting]!);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return path;
  throw new ConfigError(`${setting} names ${path}, ${stats ? "which is not a file" : "and there is no such file"}`);
}

/** Reads the config file, for the first time or again. Throws `ConfigError`, with the place, for what cannot be used. */
export async function readDeclared(file: string, env: Environment = process.env): Promise<Declared> {
  // Loaded only now: a gateway without a file need not pay for a YAML parser.
  const { parseConfigFile } = await import("./config/config-file.ts");
  const { text, modifiedAtMs, isOpenToAll } = readConfigText(file);
  return parseConfigFile(text, file, env, Math.floor(modifiedAtMs / 1000), isOpenToAll);
}

/**
 * The public address of the platform. Where it can be reached from elsewhere the address must be known, because a server that answers
 * to any name can be reached through a page of somebody else's.
 */
function readPlatformUrl(env: Environment, { hostname }: Address): URL | undefined {
  const url = readPublicUrl(env, SETTINGS.platformUrl, "passwords");
  const ours = url && OWN_PATH.exec(url.pathname)?.[0];
  if (ours) {
    throw new ConfigError(
      `${SETTINGS.platformUrl} has a path that begins with ${ours}, which is the platform's own: use another, such as /tollgate`,
    );
  }
  if (url || isLoopback(hostname)) return url;
  throw new ConfigError(
    `${SETTINGS.platformHost} is ${hostname}, which other machines can reach: set ${SETTINGS.platformUrl} to the https:// address that people use`,
  );
}

/** Clients are given it with `/v1`, and so some write it down with that. */
function readGatewayUrl(env: Environment): string | undefined {
  return readPublicUrl(env, SETTINGS.gatewayUrl, "keys")?.href.replace(/\/+$/, "").replace(/\/v1$/, "");
}

/** A provider that is set up by half would be noticed only by the first who wants to sign in. */
function readOidc(env: Environment): OidcProvider | undefined {
  const issuer = env[SETTINGS.oidcIssuer];
  const clientId = env[SETTINGS.oidcClientId];
  const clientSecret = env[SETTINGS.oidcClientSecret];
  if (!issuer && !clientId && !clientSecret) return undefined;
  if (!issuer || !clientId) {
    throw new ConfigError(
      `${SETTINGS.oidcIssuer} and ${SETTINGS.oidcClientId} belong together, and ${issuer ? SETTINGS.oidcClientId : SETTINGS.oidcIssuer} is not set`,
    );
  }
  const url = URL.parse(issuer);
  if (!url || !(url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) || url.search || url.hash) {
    throw new ConfigError(`${SETTINGS.oidcIssuer} must be an https:// address without a query, as the provider writes it`);
  }
  if (/\/\.well-known\/openid-configuration\/?$/.test(url.pathname)) {
    throw new ConfigError(`${SETTINGS.oidcIssuer} is the address of the provider's document: leave off /.well-known/openid-configuration`);
  }
  return { issuer, clientId, clientSecret: clientSecret ? new Secret(clientSecret) : undefined };
}
