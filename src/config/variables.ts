import { ConfigError, type Environment } from "./config-error.ts";
import { isAddress, parseRange, type AddressRange } from "../lib/net/ip-address.ts";
import { Secret } from "../lib/secret/secret.ts";
import { nearest } from "../lib/text/nearest-word.ts";

/** The environment variables of Tollgate. docs/configuration.md explains each, and a test keeps the two in sync. */
export const SETTINGS = {
  host: "TOLLGATE_HOST",
  port: "TOLLGATE_PORT",
  socket: "TOLLGATE_SOCKET",
  socketMode: "TOLLGATE_SOCKET_MODE",
  tlsCert: "TOLLGATE_TLS_CERT",
  tlsKey: "TOLLGATE_TLS_KEY",
  gatewayUrl: "TOLLGATE_GATEWAY_URL",
  platformHost: "TOLLGATE_PLATFORM_HOST",
  platformPort: "TOLLGATE_PLATFORM_PORT",
  platformSocket: "TOLLGATE_PLATFORM_SOCKET",
  platformSocketMode: "TOLLGATE_PLATFORM_SOCKET_MODE",
  platformTlsCert: "TOLLGATE_PLATFORM_TLS_CERT",
  platformTlsKey: "TOLLGATE_PLATFORM_TLS_KEY",
  platformUrl: "TOLLGATE_PLATFORM_URL",
  trustedProxies: "TOLLGATE_TRUSTED_PROXIES",
  egressProxy: "TOLLGATE_EGRESS_PROXY",
  egressProxyTarget: "TOLLGATE_EGRESS_PROXY_TARGET",
  oidcIssuer: "TOLLGATE_OIDC_ISSUER",
  oidcClientId: "TOLLGATE_OIDC_CLIENT_ID",
  oidcClientSecret: "TOLLGATE_OIDC_CLIENT_SECRET",
  smtpUrl: "TOLLGATE_SMTP_URL",
  smtpFrom: "TOLLGATE_SMTP_FROM",
  data: "TOLLGATE_DATA",
  databaseUrl: "TOLLGATE_DATABASE_URL",
  admitSeconds: "TOLLGATE_ADMIT_SECONDS",
  role: "TOLLGATE_ROLE",
  config: "TOLLGATE_CONFIG",
  operatorToken: "TOLLGATE_OPERATOR_TOKEN",
  accessToken: "TOLLGATE_ACCESS_TOKEN",
  maxBodyBytes: "TOLLGATE_MAX_BODY_BYTES",
  bodiesMaxBytes: "TOLLGATE_BODIES_MAX_BYTES",
  uploadSeconds: "TOLLGATE_UPLOAD_SECONDS",
  keepAliveSeconds: "TOLLGATE_KEEP_ALIVE_SECONDS",
  drainSeconds: "TOLLGATE_DRAIN_SECONDS",
  processes: "TOLLGATE_PROCESSES",
  routeHeaders: "TOLLGATE_ROUTE_HEADERS",
  onDisconnect: "TOLLGATE_ON_DISCONNECT",
  durability: "TOLLGATE_DURABILITY",
  logLevel: "TOLLGATE_LOG_LEVEL",
  logFormat: "TOLLGATE_LOG_FORMAT",
  requestLogDays: "TOLLGATE_REQUEST_LOG_DAYS",
  requestLogMaxBytes: "TOLLGATE_REQUEST_LOG_MAX_BYTES",
  attributionNames: "TOLLGATE_ATTRIBUTION_NAMES",
  redact: "TOLLGATE_REDACT",
  secret: "TOLLGATE_SECRET",
  oldSecret: "TOLLGATE_OLD_SECRET",
  hashSecret: "TOLLGATE_HASH_SECRET",
  traceContent: "TOLLGATE_TRACE_CONTENT",
} as const;

/** The variables of each listener. */
export const LISTENERS = {
  gateway: SETTINGS,
  platform: {
    host: SETTINGS.platformHost,
    port: SETTINGS.platformPort,
    socket: SETTINGS.platformSocket,
    socketMode: SETTINGS.platformSocketMode,
    tlsCert: SETTINGS.platformTlsCert,
    tlsKey: SETTINGS.platformTlsKey,
  },
} as const;

/** Parsers of environment variables. A message names the variable, and never repeats a secret. */

/**
 * Kubernetes injects variables for every Service into every pod: for a Service named tollgate TOLLGATE_SERVICE_HOST,
 * TOLLGATE_PORT_8700_TCP, and TOLLGATE_PORT=tcp://10.0.0.1:8700. They are ignored.
 */
const SERVICE_NAME = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;

/** The environment without Kubernetes' variables. Throws for an unknown TOLLGATE_ variable, because it is probably misspelled. */
export function ownVariables(given: Environment, known: readonly string[]): Environment {
  const isService = (name: string): boolean =>
    SERVICE_NAME.test(name) || (name.endsWith("_PORT") && SERVICE_ADDRESS.test(given[name] ?? ""));
  const own = Object.keys(given).filter((name) => name.startsWith("TOLLGATE_") && given[name] && !isService(name));
  const unknown = own.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new ConfigError(`${unknown} is not a known setting: the nearest is ${nearest(unknown, known)}`);
  return Object.fromEntries(Object.entries(given).filter(([name]) => !name.startsWith("TOLLGATE_") || own.includes(name)));
}

/** An address to listen on. */
export function readHost(env: Environment, name: string): string {
  const text = (env[name] || "127.0.0.1").replace(/^\[(.*)\]$/, "$1");
  if (isAddress(text) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) return text;
  throw new ConfigError(`${name} must be an address or a host name, without http:// and without a port, not ${JSON.stringify(text)}`);
}

/** Whether only this machine can reach an address. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}

/** Addresses and CIDR ranges, separated by commas. */
export function readRanges(env: Environment, name: string): readonly AddressRange[] {
  const texts = env[name]?.split(",").map((text) => text.trim()) ?? [];
  return texts.map((text) => {
    const range = parseRange(text);
    if (range) return range;
    if (isAddress(text.replace(/\/0+$/, ""))) throw new ConfigError(`${name} must not be ${text}: any client could forge its address`);
    throw new ConfigError(
      `${name} must be addresses or ranges such as 10.0.0.0/8, separated by commas; ${JSON.stringify(text)} is neither`,
    );
  });
}

export function readPort(env: Environment, name: string, fallback: number): number {
  return readInteger(env, name, fallback, 0, 65_535);
}

export function readInteger(env: Environment, name: string, fallback: number, minimum: number, maximum: number): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value;
  throw new ConfigError(`${name} must be a whole number between ${minimum} and ${maximum}, not ${JSON.stringify(text)}`);
}

/** The mode of a file, in the format of `chmod`. */
export function readMode(env: Environment, name: string, fallback: number): number {
  const text = env[name];
  if (!text) return fallback;
  if (/^0?[0-7]{3}$/.test(text)) return Number.parseInt(text, 8);
  throw new ConfigError(`${name} must be the mode of a file, such as 660 or 600, not ${JSON.stringify(text)}`);
}

/** One of the choices; by default the first, or `fallback`. */
export function readChoice<Choice extends string>(
  env: Environment,
  name: string,
  choices: readonly [Choice, ...Choice[]],
  fallback: Choice = choices[0],
): Choice {
  const text = env[name] || fallback;
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw new ConfigError(`${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}`);
}

/** A secret with fewer different characters is a pattern. Of random secrets with 16 hexadecimal digits, only one in a billion has fewer. */
const MIN_DIFFERENT = 4;

export function readSecret(env: Environment, name: string, minChars: number): Secret | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (text.length < minChars || /\s/.test(text)) throw new ConfigError(`${name} must have at least ${minChars} characters and no space`);
  if (new Set(text).size < MIN_DIFFERENT) throw new ConfigError(`${name} is easy to guess: generate one with openssl rand -hex 32`);
  return new Secret(text);
}
