import { ConfigError, type Environment } from "./config-error.ts";
import { idOfApiKey } from "../vocabulary/api-key.ts";
import { isLiterallyPrivate, problemOfBaseUrl } from "../vocabulary/base-url.ts";
import type { Declared } from "./config-file.ts";
import type { Model } from "../vocabulary/catalog.ts";
import { makePrice, type Rates } from "../vocabulary/price.ts";
import { Secret } from "../vocabulary/secret.ts";
import { DEFAULT_TIMEOUTS, type UpstreamSettings } from "../vocabulary/upstream-settings.ts";

/** What there is without a config file: the built-in echo, and whatever the environment and this machine offer. */

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

/** Declared without a file. Nothing of it can be in the wrong state. */
export const BUILT_IN: Declared = {
  upstreams: [{ id: "echo", dialect: "echo" }],
  catalog: new Map([[ECHO_MODEL.id, ECHO_MODEL]]),
  accounts: [],
  checkAgainst: () => undefined,
};

/** Upstreams to ask for their models: those of the environment, and those of this machine. */
export function discoverable(env: Environment): UpstreamSettings[] {
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
  return [...providers, ...local];
}

interface Place {
  readonly baseUrl: string;
  readonly allowPrivate: boolean;
}

function openaiUpstream(id: string, place: Place, credential: Secret | undefined): UpstreamSettings {
  return { id, dialect: "openai", ...place, credential, timeouts: DEFAULT_TIMEOUTS };
}

/** Who sets a variable to `http://` or to a private address permits just that. A name with `https://` must be public. */
function readBaseUrl(name: string, baseUrl: string): Place {
  const url = URL.parse(baseUrl);
  const allowPrivate = url !== null && (url.protocol === "http:" || isLiterallyPrivate(url));
  const problem = problemOfBaseUrl(baseUrl, allowPrivate);
  if (problem === undefined) return { baseUrl, allowPrivate };
  throw new ConfigError(`${name} ${problem}`);
}
