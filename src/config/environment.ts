import { ConfigError, type Environment } from "./config-error.ts";
import { idOfApiKey } from "../access/api-key.ts";
import { isLiterallyPrivate, problemOfBaseUrl } from "../models/base-url.ts";
import type { ConfigDeclarations } from "./config-file.ts";
import { plainModel, type Model } from "../models/catalog.ts";
import { remoteAt } from "../models/declared-upstream.ts";
import type { Preset } from "../models/preset.ts";
import { baseUrlOf, PRESET_IDS, presetAt, presetOf } from "../models/presets.ts";
import { makePrice, type Rates } from "../money/price.ts";
import { Secret } from "../lib/secret/secret.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";

/** The configuration without a file: the built-in echo model, and the upstreams of the environment and of this machine. */

const OPENAI_BASE_URL = "OPENAI_BASE_URL";

const ECHO_RATES: Rates = {
  inputPicos: 1_000_000n,
  cachedInputPicos: 1_000_000n,
  cacheWritePicos: 1_000_000n,
  outputPicos: 2_000_000n,
  reasoningPicos: 2_000_000n,
};

const ECHO_MODEL: Model = {
  ...plainModel("echo", { upstream: "echo", upstreamModel: "echo" }),
  createdSeconds: Date.UTC(2026, 10, 15) / 1000,
  // It has a price, because a free model would not show how charges work.
  prices: [makePrice({ effectiveAtMs: 0, source: "operator", rates: ECHO_RATES, tiers: [] })],
};

/** The declarations without a file. None of them can conflict with the stored state. */
export const BUILT_IN: ConfigDeclarations = {
  upstreams: [{ id: "echo", dialect: "echo" }],
  catalog: new Map([[ECHO_MODEL.id, ECHO_MODEL]]),
  declaredModels: new Map(),
  priceLists: [],
  accounts: [],
  checkAgainst: () => undefined,
};

/** Upstreams for model discovery: from the environment, and on this machine. */
export function discoverable(env: Environment): RemoteSettings[] {
  return PRESET_IDS.flatMap((id) => {
    const preset = presetOf(id);
    if (preset.isLocal) return [remoteAt(id, id, { baseUrl: preset.baseUrl, allowPrivate: true }, [])];
    const credential = credentialIn(env, preset);
    if (credential === undefined) return [];
    // A key for another OpenAI-compatible server must not be sent to OpenAI.
    const elsewhere = id === "openai" && env[OPENAI_BASE_URL];
    if (elsewhere) {
      const remote = readBaseUrl(OPENAI_BASE_URL, elsewhere);
      return [remoteAt(id, presetAt(remote.baseUrl, "openai"), remote, [credential])];
    }
    const baseUrl = baseUrlOf(preset) ?? customerUrlIn(env, preset);
    return baseUrl === undefined ? [] : [remoteAt(id, id, { baseUrl, allowPrivate: false }, [credential])];
  });
}

/** A provider whose credential is in the environment, but whose base URL is not. */
export interface MissingBaseUrl {
  readonly id: string;
  /** The environment variable for the base URL. */
  readonly variable: string;
}

export function withoutBaseUrl(env: Environment): MissingBaseUrl[] {
  return PRESET_IDS.flatMap((id) => {
    const preset = presetOf(id);
    const hasBaseUrl = baseUrlOf(preset) !== undefined || !preset.customerUrl || customerUrlIn(env, preset) !== undefined;
    if (hasBaseUrl || credentialIn(env, preset) === undefined) return [];
    return [{ id, variable: preset.customerUrl.variables[0]! }];
  });
}

/** A single credential: several variables are aliases of each other. */
function credentialIn(env: Environment, { variables = [] }: Preset): Secret | undefined {
  const values = variables.map((name) => env[name]);
  // A shell that is configured for clients of Tollgate has a Tollgate key in this variable: it must not be sent to the provider.
  const credential = values.find((value) => value && idOfApiKey(value) === undefined);
  return credential ? new Secret(credential) : undefined;
}

/** The customer-specific base URL in the environment. */
function customerUrlIn(env: Environment, { customerUrl }: Preset): string | undefined {
  const name = customerUrl?.variables.find((variable) => env[variable]);
  if (!customerUrl || name === undefined) return undefined;
  const { baseUrl } = customerUrl;
  const given = env[name]!.replace(/\/+$/, "");
  if (baseUrl.startsWith("{}")) {
    const path = baseUrl.slice("{}".length);
    const url = given.endsWith(path) ? given : given + path;
    const problem = problemOfBaseUrl(url, false);
    if (problem !== undefined) throw new ConfigError(`${name} ${problem}`);
    return url;
  }
  // A part of a host name must not contain a dot or a slash: otherwise the credential could be sent to another host.
  if (!/^[a-z\d-]+$/.test(given)) throw new ConfigError(`${name} must be a name such as us-east-1`);
  return baseUrl.replace("{}", given);
}

/** A variable with `http://` or a private address permits that address. A host name with `https://` must be public. */
function readBaseUrl(name: string, baseUrl: string): Pick<RemoteSettings, "baseUrl" | "allowPrivate"> {
  const url = URL.parse(baseUrl);
  const allowPrivate = url !== null && (url.protocol === "http:" || isLiterallyPrivate(url));
  const problem = problemOfBaseUrl(baseUrl, allowPrivate);
  if (problem === undefined) return { baseUrl, allowPrivate };
  throw new ConfigError(`${name} ${problem}`);
}
