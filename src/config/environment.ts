import { ConfigError, type Environment } from "./config-error.ts";
import { idOfApiKey } from "../access/api-key.ts";
import { isLiterallyPrivate, problemOfBaseUrl } from "../models/base-url.ts";
import type { Declared } from "./config-file.ts";
import { plainModel, type Model } from "../models/catalog.ts";
import { remoteAt } from "../models/declared-upstream.ts";
import type { Preset } from "../models/preset.ts";
import { addressOf, PRESET_IDS, presetAt, presetOf } from "../models/presets.ts";
import { makePrice, type Rates } from "../money/price.ts";
import { Secret } from "../lib/secret/secret.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";

/** What there is without a config file: the built-in echo, and whatever the environment and this machine offer. */

const OPENAI_ADDRESS = "OPENAI_BASE_URL";

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
  // A model that costs nothing would not show what it is to pay.
  prices: [makePrice({ effectiveAtMs: 0, source: "operator", rates: ECHO_RATES, tiers: [] })],
};

/** Declared without a file. Nothing of it can be in the wrong state. */
export const BUILT_IN: Declared = {
  upstreams: [{ id: "echo", dialect: "echo" }],
  catalog: new Map([[ECHO_MODEL.id, ECHO_MODEL]]),
  declaredModels: new Map(),
  accounts: [],
  checkAgainst: () => undefined,
};

/** Upstreams to ask for their models: those of the environment, and those of this machine. */
export function discoverable(env: Environment): RemoteSettings[] {
  return PRESET_IDS.flatMap((id) => {
    const preset = presetOf(id);
    if (preset.isLocal) return [remoteAt(id, id, { baseUrl: preset.baseUrl, allowPrivate: true }, [])];
    const credential = credentialIn(env, preset);
    if (credential === undefined) return [];
    // A key for another server of OpenAI's format must not be tried at OpenAI.
    const elsewhere = id === "openai" && env[OPENAI_ADDRESS];
    if (elsewhere) {
      const place = readBaseUrl(OPENAI_ADDRESS, elsewhere);
      return [remoteAt(id, presetAt(place.baseUrl, "openai"), place, [credential])];
    }
    const baseUrl = addressOf(preset) ?? ownAddressIn(env, preset);
    return baseUrl === undefined ? [] : [remoteAt(id, id, { baseUrl, allowPrivate: false }, [credential])];
  });
}

/** A provider whose credential the environment has, and not its address. */
export interface Unplaced {
  readonly id: string;
  /** The variable that would tell it. */
  readonly variable: string;
}

export function unplaced(env: Environment): Unplaced[] {
  return PRESET_IDS.flatMap((id) => {
    const preset = presetOf(id);
    const isPlaced = addressOf(preset) !== undefined || !preset.ownAddress || ownAddressIn(env, preset) !== undefined;
    if (isPlaced || credentialIn(env, preset) === undefined) return [];
    return [{ id, variable: preset.ownAddress.variables[0]! }];
  });
}

/** One credential, however many variables have one: they are names for the same thing. */
function credentialIn(env: Environment, { variables = [] }: Preset): Secret | undefined {
  const values = variables.map((name) => env[name]);
  // A shell set up for clients of ours has our key under such a name: it must not be sent to the provider.
  const credential = values.find((value) => value && idOfApiKey(value) === undefined);
  return credential ? new Secret(credential) : undefined;
}

/** Where the environment says that a customer's own address is. */
function ownAddressIn(env: Environment, { ownAddress }: Preset): string | undefined {
  const name = ownAddress?.variables.find((variable) => env[variable]);
  if (!ownAddress || name === undefined) return undefined;
  const { baseUrl } = ownAddress;
  const given = env[name]!.replace(/\/+$/, "");
  if (baseUrl.startsWith("{}")) {
    const path = baseUrl.slice("{}".length);
    const address = given.endsWith(path) ? given : given + path;
    const problem = problemOfBaseUrl(address, false);
    if (problem !== undefined) throw new ConfigError(`${name} ${problem}`);
    return address;
  }
  // What is a part of a host must not be more than that: the credential would go to wherever it leads.
  if (!/^[a-z\d-]+$/.test(given)) throw new ConfigError(`${name} must be a name such as us-east-1`);
  return baseUrl.replace("{}", given);
}

interface Place {
  readonly baseUrl: string;
  readonly allowPrivate: boolean;
}

/** Who sets a variable to `http://` or to a private address permits just that. A name with `https://` must be public. */
function readBaseUrl(name: string, baseUrl: string): Place {
  const url = URL.parse(baseUrl);
  const allowPrivate = url !== null && (url.protocol === "http:" || isLiterallyPrivate(url));
  const problem = problemOfBaseUrl(baseUrl, allowPrivate);
  if (problem === undefined) return { baseUrl, allowPrivate };
  throw new ConfigError(`${name} ${problem}`);
}
