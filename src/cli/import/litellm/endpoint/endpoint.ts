import { awsDomain } from "../../../../models/identities/aws-partitions.ts";
import { vertexHost } from "../../../../models/identities/vertex-address.ts";
import { bedrockRegionIn } from "../../../../models/identities/refuse-other-place.ts";
import type { Preset } from "../../../../models/preset.ts";
import { presetOf, type PresetId } from "../../../../models/presets.ts";
import { isLiterallyPrivate } from "../../../../models/base-url.ts";
import { checkBaseUrl, givenBaseUrl, type ConvertedBaseUrl } from "./base-url.ts";
import { convertAws, convertAzure, convertGoogle, VERTEX_CREDENTIALS, type ConvertedIdentity } from "./convert-identity.ts";
import { isTrue, type Settings } from "../convert-settings.ts";
import type { Fields } from "../yaml/fields.ts";
import { UnsupportedError, toSingleLine, quoted } from "../unsupported.ts";
import { findProvider, reasonAgainstProvider, type Provider } from "./providers.ts";
import { isFilledIn, variableIn } from "../references.ts";

/** The endpoint of a deployment, in a supported API format. */
export interface Endpoint extends ConvertedBaseUrl {
  readonly dialect: Preset["dialect"];
  /** The preset, if the base URL does not imply it. */
  readonly preset?: PresetId | undefined;
  /** The suggested ID of its upstream. */
  readonly name: string;
  readonly model: string;
  /** The variable of the secret, if the deployment has none. */
  readonly secretVariable?: string | undefined;
  /** Whether a cloud charges for it, whatever its address. */
  readonly isOfCloud?: boolean;
  /** In the place of a secret. */
  readonly identity?: ConvertedIdentity | undefined;
  readonly caveats: readonly string[];
}

export function findEndpoint(params: Fields, settings: Pick<Settings, "hasAzureIdentity">): Endpoint {
  const { provider, model } = providerAndModel(params);
  if (model === "") throw new UnsupportedError("its model has no name after the provider");
  if (model.includes("*")) throw new UnsupportedError("wildcards are not supported: list each model by name");
  if (isFilledIn(model)) throw new UnsupportedError("its model contains ${…}, which Tollgate would expand as a variable");
  if (model !== toSingleLine(model)) throw new UnsupportedError("its model contains control characters");
  if (model.startsWith("responses/")) throw new UnsupportedError("it uses the Responses API, and Tollgate serves chat completions");
  if (provider === "azure" || provider === "azure_ai") return atAzure(params, model, settings.hasAzureIdentity);
  if (provider === "bedrock") return atBedrock(params, model);
  if (provider === "vertex_ai" || provider === "vertex_ai_beta") return atVertex(params, model);
  if (provider === "anthropic") return atAnthropic(params, model);
  if (provider === "gemini") return atGemini(params, model);
  if (provider === "ollama" || provider === "ollama_chat") return atOllama(params, model);
  const known = findProvider(provider);
  if (!known) throw new UnsupportedError(reasonAgainstProvider(provider, quoted(provider)));
  return ofOpenAIFormat(known, params, known.id === "fireworks" ? withFireworksAccount(model) : model);
}

/** `provider/model`; without a provider, LiteLLM infers it from known names. */
function providerAndModel(params: Fields): { provider: string; model: string } {
  const text = params.take("model")?.text;
  const given = params.take("custom_llm_provider")?.text;
  if (text === undefined) throw new UnsupportedError("its litellm_params have no model");
  if (variableIn(text) !== undefined) throw new UnsupportedError("its model comes from the environment: write it out");
  if (given !== undefined) return { provider: given, model: text.startsWith(`${given}/`) ? text.slice(given.length + 1) : text };
  const slash = text.indexOf("/");
  if (slash > 0) return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
  return { provider: guessProvider(text, params), model: text };
}

function guessProvider(model: string, params: Fields): string {
  if (/^(gpt-|chatgpt-|o\d|ft:gpt-)/.test(model)) return "openai";
  if (model.startsWith("claude-")) return "anthropic";
  if (model.startsWith("gemini-")) return "vertex_ai";
  if (model === "*" || givenBaseUrl(params) !== undefined) return "openai";
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
  return {
    ...address,
    dialect: "openai",
    preset: provider.preset,
    model,
    name: isTheirs || provider.baseUrlVariable ? provider.id : nameOfServer(given, address),
    // A provider's secret must not be sent to another server.
    secretVariable: isTheirs ? provider.secretVariable : undefined,
    caveats: [...caveatsOf(address), ...(isTheirs ? [] : secretCaveat(address, params))],
  };
}

function secretCaveat({ allowPrivate }: ConvertedBaseUrl, params: Fields): string[] {
  if (allowPrivate || params.take("api_key") !== undefined) return [];
  return ["converted without a credential: the server is not the provider's own"];
}

function sameOrigin(one: string, other: string | undefined): boolean {
  return other !== undefined && URL.parse(one)?.origin === URL.parse(other)!.origin;
}

/** The name of its variable, `local` for a private address, else its host name. */
function nameOfServer(given: string, { sample }: ConvertedBaseUrl): string {
  const url = URL.parse(sample)!;
  const name = variableIn(given)?.toLowerCase().replaceAll("_", "-") ?? (isLiterallyPrivate(url) ? "local" : url.hostname);
  return name.replaceAll("*", "-").slice(0, 100);
}

function caveatsOf({ baseUrl, mayBeRefused }: ConvertedBaseUrl): string[] {
  if (mayBeRefused) return ["converted with http://, which is for private networks only: a server on the internet needs https://"];
  if (!baseUrl.startsWith("${")) return [];
  return ["converted with a base URL from the environment: if it is http:// or private, add allow_private: true"];
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
    caveats: [...caveatsOf(address), ...slashCaveat(given)],
  };
}

/** The base URL is the value of the variable plus a path, so the value must not end with a slash. */
function slashCaveat(given: string): string[] {
  const variable = variableIn(given);
  return variable === undefined ? [] : [`converted with the base URL in ${variable}, which must not end with a slash`];
}

/** Azure's v1 API needs no version, and uses the deployment's name as the model. */
function atAzure(params: Fields, model: string, hasIdentity: boolean): Endpoint {
  const given = givenBaseUrl(params) ?? "${AZURE_API_BASE}";
  const url = URL.parse(given);
  if (url && !/\.(openai|services\.ai)\.azure\.com$/.test(url.hostname)) {
    throw new UnsupportedError("Azure's OpenAI-compatible base URLs are NAME.openai.azure.com and NAME.services.ai.azure.com");
  }
  if (url?.pathname.startsWith("/anthropic") || model.startsWith("claude-")) {
    throw new UnsupportedError(
      "Azure serves Anthropic's models in Anthropic's own format: declare an upstream of the dialect anthropic by hand",
    );
  }
  const hasSecret = params.take("api_key") !== undefined;
  if (!hasSecret && ["azure_username", "azure_password"].some((name) => params.names.includes(name))) {
    throw new UnsupportedError("it signs in to Microsoft Entra ID as a person: use an application with a client_secret");
  }
  const accessToken = hasSecret ? undefined : params.peek("azure_ad_token")?.text;
  if (accessToken?.startsWith("oidc/"))
    throw new UnsupportedError("its azure_ad_token is a reference: declare the upstream by hand, with azure");
  const isOfMachine = isTrue(params.take("enable_azure_ad_token_refresh")) || hasIdentity;
  const identity = hasSecret || accessToken !== undefined ? undefined : convertAzure(params, isOfMachine);
  return {
    ...checkBaseUrl(`${url?.origin ?? given}/openai/v1`, "https://sample.openai.azure.com"),
    dialect: "openai",
    preset: url ? undefined : "azure",
    model: model.replace(/^(o_series|gpt5_series)\//, ""),
    name: "azure",
    ...(identity ? { identity } : { secretVariable: "AZURE_API_KEY" }),
    caveats: [...slashCaveat(given), ...(accessToken === undefined ? [] : [ACCESS_TOKEN])],
  };
}

const ACCESS_TOKEN =
  "converted with azure_ad_token as a fixed credential, which expires after about an hour: use azure with a client_secret";

/** OpenAI's models at Bedrock's OpenAI-compatible endpoint, which is documented for them; others by Converse. Both take an API key or an identity. */
function atBedrock(params: Fields, model: string): Endpoint {
  const [, inName, id] = /^(?:converse\/|invoke\/|converse_like\/)?(?:([a-z]{2,4}(?:-[a-z]+)+-\d+)\/)?(.*)$/s.exec(model)!;
  if (id!.includes("/") && !id!.startsWith("arn:")) {
    throw new UnsupportedError("it is an imported model with a prompt format of its own, and Tollgate calls Bedrock by Converse");
  }
  const isOpenai = id!.startsWith("openai.");
  const given = givenBaseUrl(params, "aws_bedrock_runtime_endpoint") ?? givenBaseUrl(params);
  const inFields = regionIn(params);
  const region = bedrockRegion(given, inName ?? inFields);
  const identity = params.take("api_key") === undefined ? convertAws(params, region) : undefined;
  const isOfMachine = identity !== undefined && identity.fields["access_key_id"] === undefined && identity.fields["profile"] === undefined;
  const address = checkBaseUrl(`${given ?? `https://bedrock-runtime.${region}.${awsDomain(region)}`}${isOpenai ? "/openai/v1" : ""}`);
  return {
    ...address,
    dialect: isOpenai ? "openai" : "bedrock",
    model: id!,
    name: "bedrock",
    identity,
    isOfCloud: true,
    caveats: [...(given === undefined ? [] : caveatsOf(address)), ...(isOfMachine ? [OF_MACHINE] : [])],
  };
}

/** Signatures are for the region of the endpoint: another one would be rejected with every call. */
function bedrockRegion(given: string | undefined, stated: string | undefined): string {
  const there = given && bedrockRegionIn(URL.parse(given)?.hostname ?? "");
  if (there && stated !== undefined && stated !== there && !isFilledIn(stated))
    throw new UnsupportedError(`its aws_bedrock_runtime_endpoint is in the region ${there}, and its aws_region_name is ${stated}`);
  return there || (stated ?? "${AWS_REGION_NAME}");
}

const OF_MACHINE =
  "converted for the AWS credentials of the machine; for a Bedrock API key, replace aws by credential: ${AWS_BEARER_TOKEN_BEDROCK}";

/** Gemini and Claude in their own formats; models of other publishers at the OpenAI-compatible endpoint. */
function atVertex(params: Fields, model: string): Endpoint {
  if (givenBaseUrl(params) !== undefined) throw new UnsupportedError("its api_base is not Vertex AI's own: declare the upstream by hand");
  const [project, location] = ["project", "location"].map(
    (name) => placeIn(params, `vertex_${name}`) ?? placeIn(params, `vertex_ai_${name}`),
  );
  if (location?.startsWith("${")) throw new UnsupportedError("its vertex_location comes from the environment: write it out");
  const place = { project: project ?? "${VERTEXAI_PROJECT}", location: location ?? "us-central1" };
  const { path, dialect } = vertexApiOf(model);
  const root = `https://${vertexHost(place.location)}/v1/projects/${place.project}/locations/${place.location}`;
  const hasVariable = VERTEX_CREDENTIALS.some((name) => variableIn(params.peek(name)?.text ?? "") !== undefined);
  return {
    ...checkBaseUrl(`${root}/${path}`),
    dialect,
    model,
    name: "vertex",
    identity: convertGoogle(params, place),
    caveats: hasVariable ? ["converted with vertex_credentials as JSON: for the path of a file, use google.credentials_file"] : [],
  };
}

function vertexApiOf(model: string): Pick<Endpoint, "dialect"> & { readonly path: string } {
  if (model.startsWith("claude-")) return { path: "publishers/anthropic", dialect: "anthropic" };
  if (model.startsWith("gemini-")) return { path: "publishers/google", dialect: "gemini" };
  if (/^[a-z-]+\/[^/]+$/.test(model)) return { path: "endpoints/openapi", dialect: "openai" };
  throw new UnsupportedError("of Vertex AI, Tollgate serves gemini-…, claude-… and publisher/model");
}

function placeIn(params: Fields, name: string): string | undefined {
  const text = params.take(name)?.text;
  if (text === undefined) return undefined;
  const variable = variableIn(text);
  if (variable !== undefined) return `\${${variable}}`;
  if (/^[a-z][a-z\d-]*$/.test(text)) return text;
  throw new UnsupportedError(`its ${name} is not one`);
}

function regionIn(params: Fields): string | undefined {
  const text = params.take("aws_region_name")?.text;
  if (text === undefined) return undefined;
  const variable = variableIn(text);
  if (variable !== undefined) return `\${${variable}}`;
  if (/^[a-z0-9-]+$/.test(text)) return text;
  throw new UnsupportedError("its aws_region_name is not a region");
}

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
    secretVariable: isTheirs ? "ANTHROPIC_API_KEY" : undefined,
    caveats: isTheirs ? [] : [...caveatsOf(address), ...slashCaveat(given), ...secretCaveat(address, params)],
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
