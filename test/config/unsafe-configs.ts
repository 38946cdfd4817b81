import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeApiKey } from "../../src/access/api-key.ts";
import { UNSAFE_LISTENERS } from "./unsafe-listeners.ts";
import { UNSAFE_TRACES } from "./unsafe-traces.ts";

/** A configuration that must not start, with the place and the reason that the error message must name. */
export interface UnsafeConfig {
  readonly name: string;
  readonly env?: Record<string, string>;
  readonly yaml?: string | Uint8Array;
  /** Creates further files in the start folder, which every user can enter. */
  readonly prepare?: (folder: string) => void;
  /** Set if the problem is found when the gateway starts, not when the configuration is read. */
  readonly isSeenAtStart?: true;
  /** The name of a variable, or a file with line and column. */
  readonly place: string;
  readonly reason: string;
}

const GOOD = `upstreams:
  - id: openai
    dialect: openai
    base_url: https://api.openai.com/v1
    credential: \${OPENAI_API_KEY}
models:
  - id: fast-chat
    routes: [{ upstream: openai, model: gpt-4o-mini }]
    price: { input_per_million: 0.15, output_per_million: 0.60 }
  - id: slow-chat
    routes: [{ upstream: openai, model: gpt-4o }]
`;

const TOKEN = "operator-token-canary";
const SECRET = "secret-canary-0123456789-0123456789";

function inEnvironment(name: string, env: Record<string, string>, place: string, reason: string): UnsafeConfig {
  return { name, env, place, reason };
}

/** The valid file with one part replaced. */
function inFile(name: string, from: string, to: string, place: string, reason: string): UnsafeConfig {
  if (!GOOD.includes(from)) throw new Error(`The good file has no ${from}`);
  return { name, env: { OPENAI_API_KEY: "sk-canary" }, yaml: GOOD.replace(from, to), place: `tollgate.yaml:${place}`, reason };
}

function asFile(name: string, yaml: string | Uint8Array, place: string, reason: string): UnsafeConfig {
  return { name, env: { OPENAI_API_KEY: "sk-canary" }, yaml, place: `tollgate.yaml${place}`, reason };
}

/** A valid file with these permissions. */
function withMode(name: string, yaml: string, mode: number, place: string, reason: string): UnsafeConfig {
  const prepare = (folder: string): void => chmodSync(join(folder, "tollgate.yaml"), mode);
  return { name, env: { OPENAI_API_KEY: "sk-canary" }, yaml, prepare, place: `tollgate.yaml${place}`, reason };
}

/** A redaction hook, which would receive prompts and responses before they are stored. */
function withHook(name: string, source: string, reason: string): UnsafeConfig {
  const prepare = (folder: string): void => writeFileSync(join(folder, "hook.mjs"), source);
  return { name, env: { TOLLGATE_REDACT: "hook.mjs" }, prepare, isSeenAtStart: true, place: "TOLLGATE_REDACT", reason };
}

/** A file in a data folder that every user can enter. */
function inDataFolder(file: string, content: string, mode: number, reason: string): UnsafeConfig {
  const prepare = (folder: string): void => {
    mkdirSync(join(folder, "data"), { mode: 0o755 });
    writeFileSync(join(folder, "data", file), content);
    chmodSync(join(folder, "data", file), mode);
  };
  return { name: `${file} with the mode ${mode.toString(8)}`, prepare, isSeenAtStart: true, place: `data/${file}`, reason };
}

const LISTENERS: readonly UnsafeConfig[] = [
  inEnvironment(
    "a platform for the network, at no known address",
    { TOLLGATE_PLATFORM_HOST: "0.0.0.0" },
    "TOLLGATE_PLATFORM_HOST",
    "https://",
  ),
  inEnvironment(
    "a public platform in clear text",
    { TOLLGATE_PLATFORM_URL: "http://gate.example" },
    "TOLLGATE_PLATFORM_URL",
    "in plaintext",
  ),
  inEnvironment(
    "a platform under a path that could become markup",
    { TOLLGATE_PLATFORM_URL: "https://gate.example/a'b" },
    "TOLLGATE_PLATFORM_URL",
    "simple path",
  ),
  ...["/api", "/api/keys/", "/assets/tollgate", "/docs", "/metrics/"].map((path) =>
    inEnvironment(
      `a platform under its own path ${path}`,
      { TOLLGATE_PLATFORM_URL: `https://gate.example${path}` },
      "TOLLGATE_PLATFORM_URL",
      "reserved by the platform",
    ),
  ),
  inEnvironment(
    "a platform with a password",
    { TOLLGATE_PLATFORM_URL: "https://a:canary@gate.example" },
    "TOLLGATE_PLATFORM_URL",
    "no user",
  ),
  inEnvironment("a platform that is not an address", { TOLLGATE_PLATFORM_URL: "gate.example" }, "TOLLGATE_PLATFORM_URL", "https:// URL"),
  inEnvironment(
    "a public gateway in clear text",
    { TOLLGATE_GATEWAY_URL: "http://gate.example/v1" },
    "TOLLGATE_GATEWAY_URL",
    "in plaintext",
  ),
  inEnvironment("a gateway with a password", { TOLLGATE_GATEWAY_URL: "https://a:canary@gate.example" }, "TOLLGATE_GATEWAY_URL", "no user"),
  inEnvironment("a proxy by its name", { TOLLGATE_TRUSTED_PROXIES: "127.0.0.1, proxy" }, "TOLLGATE_TRUSTED_PROXIES", '"proxy"'),
  inEnvironment("a range that is none", { TOLLGATE_TRUSTED_PROXIES: "10.0.0.0/33" }, "TOLLGATE_TRUSTED_PROXIES", '"10.0.0.0/33"'),
  inEnvironment("everybody as a proxy", { TOLLGATE_TRUSTED_PROXIES: "::1,0.0.0.0/0" }, "TOLLGATE_TRUSTED_PROXIES", "forge its address"),
  inEnvironment(
    "a proxy of another kind",
    { TOLLGATE_EGRESS_PROXY: "socks5://u:canary@proxy:1080" },
    "TOLLGATE_EGRESS_PROXY",
    "http://HOST:PORT",
  ),
  inEnvironment("a proxy with a path", { TOLLGATE_EGRESS_PROXY: "http://u:canary@proxy/x" }, "TOLLGATE_EGRESS_PROXY", "end with the host"),
  inEnvironment(
    "names for a proxy that is not there",
    { TOLLGATE_EGRESS_PROXY_TARGET: "name" },
    "TOLLGATE_EGRESS_PROXY_TARGET",
    "no proxy",
  ),
  inEnvironment("one port for both", { TOLLGATE_PORT: "8700", TOLLGATE_PLATFORM_PORT: "8700" }, "TOLLGATE_PLATFORM_PORT", "both 8700"),
  inEnvironment(
    "a platform behind the gateway's own port",
    { TOLLGATE_HOST: "0.0.0.0", TOLLGATE_PORT: "8701", TOLLGATE_PLATFORM_PORT: "8701" },
    "TOLLGATE_PORT",
    "need different ports",
  ),
  inEnvironment(
    "two names of this machine, and one port",
    { TOLLGATE_HOST: "localhost", TOLLGATE_PORT: "8701", TOLLGATE_PLATFORM_PORT: "8701" },
    "TOLLGATE_PORT",
    "need different ports",
  ),
  inEnvironment("a port that is a word", { TOLLGATE_PORT: "http" }, "TOLLGATE_PORT", "whole number between 0 and 65535"),
  inEnvironment(
    "a port that there is not",
    { TOLLGATE_PLATFORM_PORT: "70000" },
    "TOLLGATE_PLATFORM_PORT",
    "whole number between 0 and 65535",
  ),
  inEnvironment("a host with a port", { TOLLGATE_HOST: "0.0.0.0:8700" }, "TOLLGATE_HOST", "without a port"),
  inEnvironment("a host with a scheme", { TOLLGATE_HOST: "http://127.0.0.1" }, "TOLLGATE_HOST", "without http://"),
  {
    name: "an address of another machine",
    env: { TOLLGATE_HOST: "192.0.2.1" },
    isSeenAtStart: true,
    place: "TOLLGATE_HOST",
    reason: "address not available",
  },
];

const SECRETS: readonly UnsafeConfig[] = [
  inEnvironment("a short operator token", { TOLLGATE_OPERATOR_TOKEN: "canary" }, "TOLLGATE_OPERATOR_TOKEN", "at least 16 characters"),
  inEnvironment("an operator token of one letter", { TOLLGATE_OPERATOR_TOKEN: "a".repeat(40) }, "TOLLGATE_OPERATOR_TOKEN", "easy to guess"),
  inEnvironment(
    "an operator token that is a key for model calls",
    { TOLLGATE_OPERATOR_TOKEN: makeApiKey().key.reveal() },
    "TOLLGATE_OPERATOR_TOKEN",
    "would be an operator",
  ),
  inEnvironment(
    "an operator token that is a provider's key",
    { TOLLGATE_OPERATOR_TOKEN: TOKEN, OPENAI_API_KEY: TOKEN },
    "TOLLGATE_OPERATOR_TOKEN and OPENAI_API_KEY",
    "are equal",
  ),
  inEnvironment(
    "one secret for two purposes",
    { TOLLGATE_OPERATOR_TOKEN: SECRET, TOLLGATE_SECRET: SECRET },
    "TOLLGATE_OPERATOR_TOKEN and TOLLGATE_SECRET",
    "are equal",
  ),
  inEnvironment("a short secret", { TOLLGATE_SECRET: TOKEN }, "TOLLGATE_SECRET", "at least 32 characters"),
  inEnvironment("a secret that follows a pattern", { TOLLGATE_SECRET: "ab".repeat(20) }, "TOLLGATE_SECRET", "easy to guess"),
  inEnvironment("a short hash secret", { TOLLGATE_HASH_SECRET: TOKEN }, "TOLLGATE_HASH_SECRET", "at least 32 characters"),
  inEnvironment("a hash secret that follows a pattern", { TOLLGATE_HASH_SECRET: "ab".repeat(20) }, "TOLLGATE_HASH_SECRET", "easy to guess"),
  inEnvironment(
    "a hash secret that also encrypts credentials",
    { TOLLGATE_SECRET: SECRET, TOLLGATE_HASH_SECRET: SECRET },
    "TOLLGATE_SECRET and TOLLGATE_HASH_SECRET",
    "are equal",
  ),
  inEnvironment("an old secret without a new one", { TOLLGATE_OLD_SECRET: SECRET }, "TOLLGATE_OLD_SECRET", "not set"),
  inEnvironment(
    "an old secret that is the new one",
    { TOLLGATE_SECRET: SECRET, TOLLGATE_OLD_SECRET: SECRET },
    "TOLLGATE_SECRET and TOLLGATE_OLD_SECRET",
    "are equal",
  ),
  inDataFolder("operator-token", `${TOKEN}\n`, 0o644, "every user of this machine can read or write it: chmod 600"),
  inDataFolder("hash-secret", `${SECRET}\n`, 0o604, "every user of this machine can read or write it: chmod 600"),
  inDataFolder("secret", `${SECRET}\n`, 0o602, "every user of this machine can read or write it: chmod 600"),
  inDataFolder("hash-secret", "\n", 0o600, "is empty"),
];

const SETTINGS: readonly UnsafeConfig[] = [
  inEnvironment(
    "a variable misspelled",
    { TOLLGATE_PLATFROM_HOST: "127.0.0.1" },
    "TOLLGATE_PLATFROM_HOST",
    "the nearest is TOLLGATE_PLATFORM_HOST",
  ),
  inEnvironment("a variable that there is not", { TOLLGATE_DATABASE: "x" }, "TOLLGATE_DATABASE", "is not a known setting"),
  inEnvironment("a body of no size", { TOLLGATE_MAX_BODY_BYTES: "0" }, "TOLLGATE_MAX_BODY_BYTES", "between 1024 and"),
  inEnvironment("an upload without an end", { TOLLGATE_UPLOAD_SECONDS: "0" }, "TOLLGATE_UPLOAD_SECONDS", "between 1 and 3600"),
  inEnvironment("no memory for bodies", { TOLLGATE_BODIES_MAX_BYTES: "0" }, "TOLLGATE_BODIES_MAX_BYTES", "between 1024 and"),
  inEnvironment("no process at all", { TOLLGATE_PROCESSES: "0" }, "TOLLGATE_PROCESSES", "between 1 and 256, or auto"),
  inEnvironment("a number of processes in words", { TOLLGATE_PROCESSES: "all" }, "TOLLGATE_PROCESSES", "between 1 and 256, or auto"),
  inEnvironment("a role without a database", { TOLLGATE_ROLE: "gateway" }, "TOLLGATE_ROLE", "no effect without TOLLGATE_DATABASE_URL"),
  inEnvironment(
    "several processes of a platform",
    {
      TOLLGATE_PROCESSES: "2",
      TOLLGATE_ROLE: "platform",
      TOLLGATE_DATABASE_URL: "postgres://db/tollgate",
      TOLLGATE_SECRET: "0123456789abcdef0123456789abcdef-vault",
      TOLLGATE_HASH_SECRET: "0123456789abcdef0123456789abcdef-hash",
      TOLLGATE_OPERATOR_TOKEN: "0123456789abcdef-operator",
    },
    "TOLLGATE_PROCESSES",
    "the role is platform",
  ),
  inEnvironment("a durability that there is not", { TOLLGATE_DURABILITY: "none" }, "TOLLGATE_DURABILITY", "one of process, power, cluster"),
  inEnvironment(
    "replies that wait for a database that is not there",
    { TOLLGATE_DURABILITY: "cluster" },
    "TOLLGATE_DURABILITY",
    "TOLLGATE_DATABASE_URL is not set",
  ),
  inEnvironment(
    "a level of the log that there is not",
    { TOLLGATE_LOG_LEVEL: "verbose" },
    "TOLLGATE_LOG_LEVEL",
    "one of debug, info, warn, error",
  ),
  inEnvironment("a format of the log that there is not", { TOLLGATE_LOG_FORMAT: "xml" }, "TOLLGATE_LOG_FORMAT", "one of json, text"),
  inEnvironment("a log of requests for ever", { TOLLGATE_REQUEST_LOG_DAYS: "9999" }, "TOLLGATE_REQUEST_LOG_DAYS", "between 0 and 3650"),
  inEnvironment(
    "a log of requests in no room",
    { TOLLGATE_REQUEST_LOG_MAX_BYTES: "1" },
    "TOLLGATE_REQUEST_LOG_MAX_BYTES",
    "between 1048576",
  ),
  inEnvironment("a hook that is not there", { TOLLGATE_REDACT: "nope.mjs" }, "TOLLGATE_REDACT", "does not exist"),
  withHook("a hook that cannot be read", "export default (((", "cannot be used"),
  withHook("a hook that is not a function", "export default { redact() {} };", "its default export is not a function"),
  withHook("a hook that throws as it is loaded", "throw new Error('no licence');", "no licence"),
  inEnvironment("a config file that is not there", { TOLLGATE_CONFIG: "nope.yaml" }, "TOLLGATE_CONFIG", "does not exist"),
  inEnvironment("a config file that is a folder", { TOLLGATE_CONFIG: "/tmp" }, "TOLLGATE_CONFIG", "not a file"),
  {
    name: "a config file with nearly the right name",
    prepare: (folder) => writeFileSync(join(folder, "tollgate.yml"), GOOD),
    isSeenAtStart: true,
    place: "tollgate.yml",
    reason: "rename it to tollgate.yaml",
  },
  {
    name: "a data folder that is a file",
    prepare: (folder) => writeFileSync(join(folder, "data"), ""),
    isSeenAtStart: true,
    place: "TOLLGATE_DATA",
    reason: "not a folder",
  },
  {
    name: "a data folder that cannot be made",
    env: { TOLLGATE_DATA: "/dev/null/data" },
    isSeenAtStart: true,
    place: "TOLLGATE_DATA",
    reason: "the data folder /dev/null/data",
  },
  inEnvironment(
    "a provider at the metadata service",
    { OPENAI_API_KEY: "sk-canary", OPENAI_BASE_URL: "http://169.254.169.254/v1" },
    "OPENAI_BASE_URL",
    "never called",
  ),
  inEnvironment(
    "a provider with a password",
    { OPENAI_API_KEY: "sk-canary", OPENAI_BASE_URL: "https://a:canary@llm.example/v1" },
    "OPENAI_BASE_URL",
    "no user",
  ),
  inEnvironment(
    "a provider by the address of its document",
    { TOLLGATE_OIDC_ISSUER: "https://id.example/realms/acme/.well-known/openid-configuration", TOLLGATE_OIDC_CLIENT_ID: "tollgate" },
    "TOLLGATE_OIDC_ISSUER",
    "omit /.well-known/openid-configuration",
  ),
];

const UPSTREAMS: readonly UnsafeConfig[] = [
  inFile("a compatibility that is not known", "upstreams:", "compatibility: other\nupstreams:", "1:1", "must be one of litellm"),
  inFile("an upstream in clear text", "https://", "http://", "4:5", "must be https://"),
  inFile("an upstream on a private network", "api.openai.com", "10.0.0.8", "4:5", "needs allow_private: true"),
  inFile("a loopback address in other digits", "api.openai.com", "0x7f.1", "4:5", "127.0.0.1 is a loopback address"),
  inFile(
    "the metadata service",
    "https://api.openai.com/v1",
    "http://169.254.169.254/v1\n    allow_private: true",
    "4:5",
    "is never called",
  ),
  inFile("an address with a password", "https://", "https://a:canary@", "4:5", "no user"),
  inFile("an address that is none", "https://api.openai.com/v1", "api.openai.com", "4:5", "http:// or https:// address"),
  inFile("an upstream without an address", "    base_url: https://api.openai.com/v1\n", "", "2:5", "is required without a preset"),
  inFile("a preset that there is not", "dialect: openai", "preset: opanai", "3:5", "preset must be one of openai, anthropic"),
  inFile("a preset of another dialect", "dialect: openai", "preset: gemini\n    dialect: openai", "4:5", "which speaks gemini"),
  inFile(
    "an unknown dialect",
    "dialect: openai",
    "dialect: opanai",
    "3:5",
    "must be one of openai, responses, anthropic, gemini, bedrock, echo",
  ),
  inFile(
    "a secret in a wrong place",
    "dialect: openai",
    "dialect: ${OPENAI_API_KEY}",
    "3:5",
    'gemini, bedrock, echo, not "${OPENAI_API_KEY}"',
  ),
  inFile("an upstream twice", "models:", "  - { id: openai, dialect: echo }\nmodels:", "6:7", 'repeats "openai"'),
  inFile("a variable that is not set", "OPENAI_API_KEY", "NOT_SET", "5:17", "variables are not set: NOT_SET"),
  inFile("an empty credential", "${OPENAI_API_KEY}", '""', "5:5", "must be ASCII without spaces"),
  inFile("a credential without a value", " ${OPENAI_API_KEY}", "", "5:5", "has no value"),
  inFile("a credential with a line break", "${OPENAI_API_KEY}", '"canary\\n"', "5:5", "must be ASCII without spaces"),
  withMode("a file that everybody can change", GOOD, 0o646, "", "can be changed by every user of this machine"),
  withMode("a credential that everybody can read", GOOD.replace("${OPENAI_API_KEY}", "sk-canary"), 0o644, ":5:5", "can read"),
  withMode(
    "one of several credentials that everybody can read",
    GOOD.replace("credential: ${OPENAI_API_KEY}", 'credentials: ["${OPENAI_API_KEY}", sk-canary]'),
    0o644,
    ":5:40",
    "credentials[1] is written in a file that every user of this machine can read",
  ),
  withMode(
    "a secret of an identity that everybody can read",
    GOOD.replace(
      "credential: ${OPENAI_API_KEY}",
      "azure: { tenant_id: t, client_id: 11111111-2222-3333-4444-555555555555, client_secret: sk-canary }",
    ),
    0o644,
    "",
    "azure.client_secret is written in a file that every user of this machine can read",
  ),
  inFile(
    "a credential beside an identity",
    "    credential:",
    "    google: {}\n    credential:",
    "5:5",
    "google cannot be combined with credential",
  ),
  inFile("two identities", "    credential: ${OPENAI_API_KEY}", "    google: {}\n    azure: {}", "6:5", "an upstream has one identity"),
  inFile("a region that is none", "    credential: ${OPENAI_API_KEY}", "    aws: { region: here }", "5:12", "must be a region"),
  withMode(
    "a header that everybody can read",
    GOOD.replace("    base_url", "    headers: { x-a: canary }\n    base_url"),
    0o644,
    ":4:16",
    "can read",
  ),
  withMode("a default that everybody can read", GOOD.replace("${OPENAI_API_KEY}", "${NOT_SET:-sk-canary}"), 0o604, ":5:5", "can read"),
];

const MODELS: readonly UnsafeConfig[] = [
  inFile("a route to nowhere", "upstream: openai", "upstream: other", "8:16", 'names "other", which is not one of the upstreams'),
  inFile(
    "a mirror at an unknown upstream",
    "    price:",
    "    mirror: { upstream: old, model: x, percent: 5 }\n    price:",
    "9:15",
    'names "old"',
  ),
  inFile(
    "a mirror of more than all requests",
    "    price:",
    "    mirror: { upstream: openai, model: x, percent: 101 }\n    price:",
    "9:43",
    "must be between 0.01 and 100",
  ),
  inFile("an account twice", "    price:", "    accounts: [a, a]\n    price:", "9:19", 'repeats "a"'),
  inFile("a model of no account", "    price:", "    accounts: []\n    price:", "9:5", "must have at least 1 item"),
  inFile("a model twice", "id: slow-chat", "id: fast-chat", "10:5", 'repeats "fast-chat"'),
  inFile(
    "a fallback to nowhere",
    "    price:",
    "    fallback_models: [other]\n    price:",
    "9:23",
    'names "other", and there is no such model',
  ),
  inFile("a wildcard as a fallback", "    price:", '    fallback_models: ["openai/*"]\n    price:', "9:23", "the id of a model, without *"),
  inFile("a fallback to itself", "    price:", "    fallback_models: [slow-chat, fast-chat]\n    price:", "9:34", "names the model itself"),
  inFile("a fallback twice", "    price:", "    fallback_models: [slow-chat, { model: slow-chat }]\n    price:", "9:34", "repeats"),
  inFile(
    "a fallback for nothing",
    "    price:",
    "    fallback_models: [{ model: slow-chat, on: [rain] }]\n    price:",
    "9:48",
    "must be one of error, context_length, content_filter",
  ),
  asFile(
    "a fallback that is retired",
    `${GOOD.replace("    price:", "    fallback_models: [slow-chat]\n    price:")}    state: retired\n    replacement: fast-chat\n`,
    ":9:23",
    "names slow-chat, which is retired",
  ),
  inFile("a * within an id", "id: fast-chat", "id: fast-*-chat", "7:5", "with a * only at its end"),
  inFile("a wildcard model whose route is none", "id: fast-chat", "id: fast-*", "8:34", "must end with *"),
  inFile("an unknown field", "    price:", "    prise:", "9:5", "is not a known field"),
  inFile("a negative price", "0.15", "-0.15", "9:14", "between 0 and 1000000"),
  inFile("a price for a token, in the unit of a million", "0.15", "1500000", "9:14", "between 0 and 1000000"),
  inFile("a price that would be rounded", "0.15", "0.1234567", "9:14", "more than six decimals"),
  inFile("a model that is free and has a price", "    price:", "    free: true\n    price:", "10:5", "cannot be combined with free"),
  inFile(
    "a model that is deprecated from some day on",
    "    price:",
    "    state: deprecated\n    replacement: slow-chat\n    price:",
    "7:5",
    "shutdown_date is required",
  ),
  inFile(
    "a model that nothing will replace",
    "    price:",
    "    state: deprecated\n    shutdown_date: 2027-01-31\n    price:",
    "7:5",
    "replacement is required",
  ),
  inFile(
    "a day that there is not",
    "    price:",
    "    state: deprecated\n    shutdown_date: 2027-02-31\n    replacement: slow-chat\n    price:",
    "10:5",
    "not a day of the calendar",
  ),
  inFile(
    "a model that replaces itself",
    "    price:",
    "    state: retired\n    replacement: fast-chat\n    price:",
    "10:5",
    '"fast-chat" is not',
  ),
  inFile(
    "a default parameter that every request has",
    "model: gpt-4o-mini }",
    "model: gpt-4o-mini, defaults: { stream: true } }",
    "8:66",
    "cannot have a default",
  ),
  inFile(
    "a default parameter of another type",
    "model: gpt-4o-mini }",
    "model: gpt-4o-mini, defaults: { temperature: hot } }",
    "8:66",
    "must be a number",
  ),
  inFile(
    "a default parameter that the upstream does not support",
    "model: gpt-4o-mini }",
    "model: gpt-4o-mini, defaults: { best_of: 5 } }",
    "8:66",
    "best_of is not supported",
  ),
  inFile(
    "a header that the gateway sets",
    "    base_url",
    '    headers: { Authorization: "${OPENAI_API_KEY}" }\n    base_url',
    "4:16",
    "is set by the gateway",
  ),
  inFile(
    "a header of a route that the gateway sets",
    "model: gpt-4o-mini }",
    'model: gpt-4o-mini, headers: { Host: "${OPENAI_API_KEY}" } }',
    "8:65",
    "is set by the gateway",
  ),
  inFile(
    "a header with a line break",
    "    base_url",
    '    headers: { x-a: "1\\r\\nx-b: 2" }\n    base_url',
    "4:16",
    "without line breaks",
  ),
  inFile("a replacement that there is not", "    price:", "    state: retired\n    replacement: nope\n    price:", "10:5", '"nope" is not'),
  inFile(
    "a replacement that is retired",
    "models:",
    "models:\n  - { id: old, routes: [{ upstream: openai, model: x }], state: retired, replacement: older }\n  - { id: older, routes: [{ upstream: openai, model: x }], state: retired, replacement: fast-chat }",
    "7:74",
    '"older" is not',
  ),
];

/** YAML aliases of aliases of aliases: a few kilobytes that would expand to gigabytes. */
const BOMB = `${Array.from({ length: 12 }, (_, at) => `x${at}: &x${at} [${Array.from({ length: 12 }, () => (at === 0 ? "1" : `*x${at - 1}`)).join(", ")}]`).join("\n")}\n`;

const YAML: readonly UnsafeConfig[] = [
  asFile("bad YAML", GOOD.replace("models:", "models: ["), ":7:9", "Nested mappings are not allowed"),
  asFile("tabs", GOOD.replace("    dialect", "\tdialect"), ":3:", "Tabs"),
  asFile("a field twice", GOOD.replace("    dialect", "    id: other\n    dialect"), ":3:5", "Map keys must be unique"),
  asFile("aliases that fill the memory", BOMB, ":", "Excessive alias count"),
  asFile("an alias that points nowhere", GOOD.replace("id: slow-chat", "id: *nobody"), ":", "nobody"),
  asFile("brackets without end", "[".repeat(100_000), ":1:", "nested too deeply"),
  asFile("an unknown tag", GOOD.replace("credential: ", "credential: !vault "), ":5:17", "Unresolved tag: !vault"),
  asFile("two documents", `${GOOD}---\n${GOOD}`, ":12:1", "a second document"),
  asFile("lists without a value", "upstreams:\nmodels:\n", ":1:1", "upstreams has no value"),
  asFile("a list", "- a\n", ":1:1", "must be an object, not an array"),
  asFile("models only", GOOD.replace(/upstreams:[^]*(?=models:)/, ""), ":3:16", "which is not one of the upstreams"),
  asFile("a number for a name", GOOD.replace("id: slow-chat", "id: 4"), ":10:5", "must be a string, not 4"),
  asFile("another encoding", new Uint8Array(Buffer.from(`\uFEFF${GOOD}`, "utf16le")), "", "not UTF-8 text"),
  asFile("no end in sight", `# ${"x".repeat(5 * 1024 * 1024)}\n${GOOD}`, "", "at most 4194304"),
];

export const UNSAFE_CONFIGS = [
  ...LISTENERS,
  ...UNSAFE_LISTENERS,
  ...SECRETS,
  ...SETTINGS,
  ...UNSAFE_TRACES,
  ...UPSTREAMS,
  ...MODELS,
  ...YAML,
];
