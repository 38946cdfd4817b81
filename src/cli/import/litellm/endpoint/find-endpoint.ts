import { presetOf } from "../../../../models/presets.ts";
import { isLiterallyPrivate } from "../../../../models/base-url.ts";
import { checkBaseUrl, givenBaseUrl, type ConvertedBaseUrl } from "./base-url.ts";
import { caveatsOf, secretCaveat, slashCaveat } from "./caveats.ts";
import { atAzure, atBedrock, atVertex } from "./clouds.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Environment } from "../../../../config/config-error.ts";
import type { Settings } from "../convert-settings.ts";
import { isTrue } from "../yaml/is-true.ts";
import type { Fields } from "../yaml/fields.ts";
import { UnsupportedError, toSingleLine, quoted } from "../unsupported.ts";
import { findProvider, reasonAgainstProvider, type Provider } from "./providers.ts";
import { isFilledIn, variableIn } from "../references.ts";

export function findEndpoint(params: Fields, settings: Pick<Settings, "hasAzureIdentity" | "environment">): Endpoint {
  const { provider, model } = providerAndModel(params, settings.environment);
  if (isTrue(params.peek("use_litellm_proxy")))
    throw new UnsupportedError("it is called at another LiteLLM proxy: write its model as litellm_proxy/…");
  if (model === "") throw new UnsupportedError("its model has no name after the provider");
  if (model.includes("*")) checkWildcard(provider, model);
  if (isFilledIn(model)) throw new UnsupportedError("its model contains ${…}, which Tollgate would expand as a variable");
  if (model !== toSingleLine(model)) throw new UnsupportedError("its model contains control characters");
  if (model.startsWith("responses/"))
    throw new UnsupportedError("it uses the Responses API: declare it by hand, at an upstream with the dialect responses");
  if (provider === "azure") return atAzure(params, model, "AZURE", settings.hasAzureIdentity);
  if (provider === "azure_ai") return atAzure(params, model, "AZURE_AI", settings.hasAzureIdentity);
  if (provider === "bedrock") return atBedrock(params, model);
  if (provider === "vertex_ai" || provider === "vertex_ai_beta") return atVertex(params, model);
  if (provider === "anthropic") return atAnthropic(params, model);
  if (provider === "gemini") return atGemini(params, model);
  if (provider === "ollama" || provider === "ollama_chat") return atOllama(params, model);
  const known = findProvider(provider);
  if (!known) throw new UnsupportedError(reasonAgainstProvider(provider, quoted(provider)));
  return ofOpenAIFormat(known, params, known.id === "fireworks" ? withFireworksAccount(model) : model);
}

/** Providers whose list of models Tollgate cannot read. */
const WITHOUT_LIST: ReadonlySet<string> = new Set(["azure", "azure_ai", "bedrock", "vertex_ai", "vertex_ai_beta", "perplexity"]);

function checkWildcard(provider: string, model: string): void {
  if (!/^[^*]*\*$/.test(model)) throw new UnsupportedError("a wildcard has one *, at its end: list each model by name");
  if (WITHOUT_LIST.has(provider))
    throw new UnsupportedError(`a wildcard needs a list of models, which ${provider} has not: list each model by name`);
}

/** `provider/model`; if the provider is missing, LiteLLM infers it from known names. */
function providerAndModel(params: Fields, environment: Environment): { provider: string; model: string } {
  const text = modelIn(params, environment);
  const given = params.take("custom_llm_provider")?.text;
  if (text === undefined) throw new UnsupportedError("its litellm_params have no model");
  if (given !== undefined) return { provider: given, model: text.startsWith(`${given}/`) ? text.slice(given.length + 1) : text };
  const slash = text.indexOf("/");
  if (slash > 0) return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
  return { provider: guessProvider(text, params), model: text };
}

/** The model, with `os.environ/NAME` resolved. */
function modelIn(params: Fields, environment: Environment): string | undefined {
  const text = params.take("model")?.text;
  const variable = text === undefined ? undefined : variableIn(text);
  if (variable === undefined) return text;
  const model = environment[variable];
  if (model) return model;
  throw new UnsupportedError(`its model comes from the environment: set ${variable} for the import as for LiteLLM, or write the model out`);
}

function guessProvider(model: string, params: Fields): string {
  if (/^(gpt-|chatgpt-|o\d|ft:gpt-)/.test(model)) return "openai";
  if (model.startsWith("claude-")) return "anthropic";
  if (model.startsWith("gemini-")) return "vertex_ai";
  if (model === "*") throw new UnsupportedError("a wildcard needs a provider: use one for each, such as openai/*");
  if (givenBaseUrl(params) !== undefined) return "openai";
  throw new UnsupportedError("its model has no provider: write it as provider/model");
}

/** The model with its account, which Fireworks requires. LiteLLM prepends it to a name without one. */
function withFireworksAccount(model: string): string {
  if (model.startsWith("accounts/") || model.includes("#")) return model;
  return `accounts/fireworks/${model.endsWith("-fast") ? "routers" : "models"}/${model}`;
}

function ofOpenAIFormat(provider: Provider, params: Fields, model: string): Endpoint {
  const given = givenBaseUrl(params)?.replace(/\/chat\/completions$/, "");
  const implied = provider.baseUrl ?? (provider.baseUrlVariable && `\${${provider.baseUrlVariable}}`);
  const baseUrl = given ?? implied;
  if (baseUrl === undefined) throw new UnsupportedError("it has no api_base");
  const address = checkBaseUrl(baseUrl);
  const isTheirs = given === undefined || sameOrigin(given, provider.baseUrl);
  const isMeant = !provider.needsNoSecret && (isTheirs || provider.baseUrlVariable !== undefined);
  return {
    ...address,
    dialect: "openai",
    preset: provider.preset,
    model,
    name: isTheirs || provider.baseUrlVariable ? provider.id : nameOfServer(given, address),
    // A provider's secret must not be sent to another server.
    secretVariable: isMeant ? provider.secretVariable : undefined,
    isPaid: provider.id === "litellm",
    caveats: [...caveatsOf(address), ...(isMeant ? [] : secretCaveat(params, provider.secretVariable))],
  };
}

function sameOrigin(one: string, other: string | undefined): boolean {
  return other !== undefined && URL.parse(one)?.origin === URL.parse(other)!.origin;
}

/** An upstream name: the name of the variable, `local` for a private address, otherwise the host name. */
function nameOfServer(given: string, { sample }: ConvertedBaseUrl): string {
  const url = URL.parse(sample)!;
  const name = variableIn(given)?.toLowerCase().replaceAll("_", "-") ?? (isLiterallyPrivate(url) ? "local" : url.hostname);
  return name.replaceAll("*", "-").slice(0, 100);
}

/** Ollama has its own API at the root, and the OpenAI-compatible one under /v1. */
function atOllama(params: Fields, model: string): Endpoint {
  const given = givenBaseUrl(params) ?? "http://localhost:11434";
  const address = checkBaseUrl(`${given.replace(/\/v1$/, "")}/v1`);
  return {
    ...address,
    dialect: "openai",
    preset: "ollama",
    model,
    name: "ollama",
    caveats: [...caveatsOf(address), ...slashCaveat(given), ...secretCaveat(params, "OLLAMA_API_KEY")],
  };
}

const ANTHROPIC_KEY = "ANTHROPIC_API_KEY";

/** LiteLLM appends `/v1/messages` to the base URL of another server. */
function atAnthropic(params: Fields, model: string): Endpoint {
  const given = givenBaseUrl(params)?.replace(/(\/v1)?(\/messages)?$/, "");
  const own = presetOf("anthropic").baseUrl;
  const isTheirs = given === undefined || sameOrigin(given, own);
  const address = checkBaseUrl(isTheirs ? own : `${given}/v1`);
  return {
    ...address,
    dialect: "anthropic",
    model,
    name: isTheirs ? "anthropic" : nameOfServer(given, address),
    secretVariable: isTheirs ? ANTHROPIC_KEY : undefined,
    caveats: isTheirs ? [] : [...caveatsOf(address), ...slashCaveat(given), ...secretCaveat(params, ANTHROPIC_KEY)],
  };
}

function atGemini(params: Fields, model: string): Endpoint {
  const { baseUrl } = presetOf("gemini");
  const given = givenBaseUrl(params);
  if (given !== undefined && !sameOrigin(given, baseUrl)) {
    throw new UnsupportedError("its api_base is not Google's own: declare an upstream of the dialect gemini by hand");
  }
  return { ...checkBaseUrl(baseUrl), dialect: "gemini", model, name: "gemini", secretVariable: "GEMINI_API_KEY", caveats: [] };
}
