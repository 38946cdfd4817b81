import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError, type Environment } from "./config-error.ts";
import { idOfApiKey } from "./vocabulary/api-key.ts";
import { isLiterallyPrivate, problemOfBaseUrl } from "./vocabulary/base-url.ts";
import type { Catalog, Model } from "./vocabulary/catalog.ts";
import { makePrice, type Rates } from "./vocabulary/price.ts";
import { Secret } from "./vocabulary/secret.ts";
import { DEFAULT_TIMEOUTS, type UpstreamSettings } from "./vocabulary/upstream-settings.ts";

/** The names this file reads from the environment. docs/configuration.md explains each, and a test keeps the two equal. */
export const SETTINGS = {
  host: "TOLLGATE_HOST",
  port: "TOLLGATE_PORT",
  platformHost: "TOLLGATE_PLATFORM_HOST",
  platformPort: "TOLLGATE_PLATFORM_PORT",
  platformUrl: "TOLLGATE_PLATFORM_URL",
  data: "TOLLGATE_DATA",
  config: "TOLLGATE_CONFIG",
  operatorToken: "TOLLGATE_OPERATOR_TOKEN",
  maxBodyBytes: "TOLLGATE_MAX_BODY_BYTES",
  durability: "TOLLGATE_DURABILITY",
} as const;

/** Providers whose usual variable, when set, makes them an upstream of a gateway without a config file. */
export const PROVIDERS = [
  { id: "openai", variable: "OPENAI_API_KEY", baseUrl: "https://api.openai.com/v1" },
  { id: "mistral", variable: "MISTRAL_API_KEY", baseUrl: "https://api.mistral.ai/v1" },
  { id: "groq", variable: "GROQ_API_KEY", baseUrl: "https://api.groq.com/openai/v1" },
  { id: "deepseek", variable: "DEEPSEEK_API_KEY", baseUrl: "https://api.deepseek.com/v1" },
  { id: "xai", variable: "XAI_API_KEY", baseUrl: "https://api.x.ai/v1" },
  { id: "together", variable: "TOGETHER_API_KEY", baseUrl: "https://api.together.xyz/v1" },
  { id: "fireworks", variable: "FIREWORKS_API_KEY", baseUrl: "https://api.fireworks.ai/inference/v1" },
  { id: "openrouter", variable: "OPENROUTER_API_KEY", baseUrl: "https://openrouter.ai/api/v1" },
] as const;

const OPENAI_ADDRESS = "OPENAI_BASE_URL";

/** Servers people run beside us, at the addresses they have by default. */
const LOCAL_SERVERS = [
  { id: "ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { id: "lm-studio", baseUrl: "http://127.0.0.1:1234/v1" },
  { id: "vllm", baseUrl: "http://127.0.0.1:8000/v1" },
  { id: "llama-cpp", baseUrl: "http://127.0.0.1:8080/v1" },
] as const;

export interface Address {
  readonly hostname: string;
  readonly port: number;
}

export interface Config {
  readonly gateway: Address;
  readonly platform: Address;
  readonly dataFolder: string;
  /** Undefined where one is to be made and kept in the data folder. */
  /** Where people reach the platform, if that is not where it listens. */
  readonly platformUrl: URL | undefined;
  readonly operatorToken: Secret | undefined;
  readonly maxBodyBytes: number;
  /** What a charge outlives: the end of the process, or of the machine. */
  readonly durability: "process" | "power";
  /** The file that declares upstreams and models, if there is one. */
  readonly file: string | undefined;
  readonly upstreams: readonly UpstreamSettings[];
  readonly catalog: Catalog;
  /** Upstreams to ask for their models at the start. None where a file declares what there is. */
  readonly discover: readonly UpstreamSettings[];
}

const MIN_OPERATOR_TOKEN_CHARS = 16;
const DEFAULT_FILE = "tollgate.yaml";

/** Reads the environment and the config file: the only place that does. Throws `ConfigError` for what cannot be used. */
export async function loadConfig(env: Environment = process.env): Promise<Config> {
  const file = findFile(env);
  const declared = file === undefined ? undeclared(env) : await declaredIn(file, env);
  return Object.freeze({
    gateway: { hostname: env[SETTINGS.host] || "127.0.0.1", port: readPort(env, SETTINGS.port, 8700) },
    platform: { hostname: env[SETTINGS.platformHost] || "127.0.0.1", port: readPort(env, SETTINGS.platformPort, 8701) },
    platformUrl: readPlatformUrl(env),
    dataFolder: resolve(env[SETTINGS.data] || "data"),
    operatorToken: readOperatorToken(env),
    maxBodyBytes: readInteger(env, SETTINGS.maxBodyBytes, 20 * 1024 * 1024, 1024, 1024 * 1024 * 1024),
    durability: readChoice(env, SETTINGS.durability, ["process", "power"]),
    file,
    ...declared,
  });
}

function findFile(env: Environment): string | undefined {
  const named = env[SETTINGS.config];
  const path = resolve(named || DEFAULT_FILE);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  if (named) throw new ConfigError(`${SETTINGS.config} names ${path}, and there is no such file`);
  if (statSync(resolve("tollgate.yml"), { throwIfNoEntry: false })) {
    throw new ConfigError(`there is a tollgate.yml: its name must be ${DEFAULT_FILE}`);
  }
  return undefined;
}

async function declaredIn(file: string, env: Environment): Promise<Pick<Config, "upstreams" | "catalog" | "discover">> {
  // Loaded only now: a gateway without a file need not pay for a YAML parser.
  const { parseConfigFile } = await import("./config-file.ts");
  const createdSeconds = Math.floor(statSync(file).mtimeMs / 1000);
  return { ...parseConfigFile(readFileSync(file, "utf8"), file, env, createdSeconds), discover: [] };
}

/** Without a file: the built-in echo, and whatever the environment and this machine offer. */
function undeclared(env: Environment): Pick<Config, "upstreams" | "catalog" | "discover"> {
  const providers = PROVIDERS.flatMap(({ id, variable, baseUrl }) => {
    const credential = env[variable];
    // A shell set up for clients of ours has our key under this name: it must not be sent to the provider.
    if (!credential || idOfApiKey(credential) !== undefined) return [];
    // A key for another server of OpenAI's format must not be tried at OpenAI.
    const elsewhere = id === "openai" ? env[OPENAI_ADDRESS] : undefined;
    const place = elsewhere ? readBaseUrl(OPENAI_ADDRESS, elsewhere) : { baseUrl, allowPrivate: false };
    return [openaiUpstream(id, place, new Secret(credential))];
  });
  const local = LOCAL_SERVERS.map(({ id, baseUrl }) => openaiUpstream(id, { baseUrl, allowPrivate: true }, undefined));
  return {
    upstreams: [{ id: "echo", dialect: "echo" }],
    catalog: new Map([[ECHO_MODEL.id, ECHO_MODEL]]),
    discover: [...providers, ...local],
  };
}

const ECHO_RATES: Rates = {
  inputPicos: 1_000_000n,
  cachedInputPicos: 1_000_000n,
  cacheWritePicos: 1_000_000n,
  outputPicos: 2_000_000n,
  reasoningPicos: 2_000_000n,
};

const ECHO_MODEL: Model = {
  id: "echo",
  ownedBy: "tollgate",
  createdSeconds: Date.UTC(2026, 10, 15) / 1000,
  state: { name: "available" },
  routes: [{ upstream: "echo", upstreamModel: "echo" }],
  // A model that costs nothing would not show what it is to pay.
  prices: [makePrice({ effectiveAtMs: 0, source: "operator", rates: ECHO_RATES, tiers: [] })],
  contextWindow: undefined,
  maxOutputTokens: undefined,
  capabilities: [],
};

interface Place {
  readonly baseUrl: string;
  readonly allowPrivate: boolean;
}

function openaiUpstream(id: string, place: Place, credential: Secret | undefined): UpstreamSettings {
  return { id, dialect: "openai", ...place, credential, timeouts: DEFAULT_TIMEOUTS };
}

/**
 * The public address of the platform. Passwords and sessions go to it, so it must be encrypted unless it is this machine's own;
 * and where the platform can be reached from elsewhere it must be known, because a server that answers to any name can be
 * reached through a page of somebody else's.
 */
function readPlatformUrl(env: Environment): URL | undefined {
  const hostname = env[SETTINGS.platformHost] || "127.0.0.1";
  const text = env[SETTINGS.platformUrl];
  if (!text) {
    if (isLoopback(hostname)) return undefined;
    throw new ConfigError(
      `${SETTINGS.platformHost} is ${hostname}, which other machines can reach: set ${SETTINGS.platformUrl} to the https:// address that people use`,
    );
  }
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new ConfigError(`${SETTINGS.platformUrl} must be an https:// address`);
  if (url.username || url.password || url.search || url.hash || url.pathname !== "/") {
    throw new ConfigError(`${SETTINGS.platformUrl} must be a bare address: no user, no path, no query, no fragment`);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new ConfigError(`${SETTINGS.platformUrl} must be https://, or passwords would cross the network in clear text`);
  }
  return url;
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}

function readOperatorToken(env: Environment): Secret | undefined {
  const token = env[SETTINGS.operatorToken];
  if (!token) return undefined;
  if (token.length < MIN_OPERATOR_TOKEN_CHARS || /\s/.test(token)) {
    throw new ConfigError(`${SETTINGS.operatorToken} must have at least ${MIN_OPERATOR_TOKEN_CHARS} characters and no space`);
  }
  return new Secret(token);
}

/** One of these words; the first, where there is none. */
function readChoice<Choice extends string>(env: Environment, name: string, choices: readonly [Choice, ...Choice[]]): Choice {
  const text = env[name] || choices[0];
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw new ConfigError(`${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}`);
}

/** Who sets a variable to `http://` or to a private address permits just that. A name with `https://` must be public. */
function readBaseUrl(name: string, baseUrl: string): Place {
  const url = URL.parse(baseUrl);
  const allowPrivate = url !== null && (url.protocol === "http:" || isLiterallyPrivate(url));
  const problem = problemOfBaseUrl(baseUrl, allowPrivate);
  if (problem === undefined) return { baseUrl, allowPrivate };
  throw new ConfigError(`${name} ${problem}`);
}

function readPort(env: Environment, name: string, fallback: number): number {
  return readInteger(env, name, fallback, 0, 65_535);
}

function readInteger(env: Environment, name: string, fallback: number, minimum: number, maximum: number): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value;
  throw new ConfigError(`${name} must be a whole number between ${minimum} and ${maximum}, not ${JSON.stringify(text)}`);
}
