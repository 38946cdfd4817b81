import { awsDomain } from "../../../../models/identities/aws-partitions.ts";
import { vertexHost } from "../../../../models/identities/vertex-address.ts";
import { bedrockRegionIn } from "../../../../models/identities/refuse-mismatched-location.ts";
import { isTrue } from "../yaml/is-true.ts";
import { isFilledIn, variableIn } from "../references.ts";
import { UnsupportedError } from "../unsupported.ts";
import type { Fields } from "../yaml/fields.ts";
import { presetOf } from "../../../../models/presets.ts";
import { checkBaseUrl, givenBaseUrl, type ConvertedBaseUrl } from "./base-url.ts";
import { caveatsOf, slashCaveat } from "./caveats.ts";
import { convertAws, convertAzure, convertGoogle, VERTEX_CREDENTIALS } from "./convert-identity.ts";
import type { Endpoint } from "./endpoint.ts";

/** Azure's v1 API needs no version, and uses the deployment's name as the model. */
export function atAzure(params: Fields, model: string, prefix: "AZURE" | "AZURE_AI", hasIdentity: boolean): Endpoint {
  const given = givenBaseUrl(params) ?? `\${${prefix}_API_BASE}`;
  const url = URL.parse(given);
  const isBehindGateway = url !== null && !/\.(openai|services\.ai)\.azure\.com$/.test(url.hostname);
  if (isBehindGateway && prefix !== "AZURE") {
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
    ...(isBehindGateway ? behindGateway(given, params) : atAzureItself(url?.origin ?? given, url !== null)),
    dialect: "openai",
    model: model.replace(/^(o_series|gpt5_series)\//, ""),
    name: "azure",
    ...(identity ? { identity } : { secretVariable: `${prefix}_API_KEY` }),
    caveats: [...(isBehindGateway ? [BEHIND_GATEWAY] : slashCaveat(given)), ...(accessToken === undefined ? [] : [ACCESS_TOKEN])],
  };
}

function atAzureItself(origin: string, isLiteral: boolean): ConvertedBaseUrl & Pick<Endpoint, "preset"> {
  return { ...checkBaseUrl(`${origin}/openai/v1`, "https://sample.openai.azure.com"), preset: isLiteral ? undefined : "azure" };
}

/** Azure API Management and other gateways use URL paths with the deployment's name, as LiteLLM calls them. */
function behindGateway(given: string, params: Fields): ConvertedBaseUrl & Pick<Endpoint, "preset" | "apiVersion"> {
  const version = params.peek("api_version")?.text;
  const isDated = version !== undefined && presetOf("azure-deployments").quirks!.apiVersions!.pattern.test(version);
  if (isDated) params.take("api_version");
  const address = given.replace(/\/openai(\/deployments\/.*)?$/, "");
  return { ...checkBaseUrl(`${address}/openai`), preset: "azure-deployments", ...(isDated && { apiVersion: version }) };
}

const BEHIND_GATEWAY =
  "converted for a gateway in front of Azure, with the key in the header api-key. If it expects another header, add it to headers of the upstream";

const ACCESS_TOKEN =
  "converted with azure_ad_token as a fixed credential, which expires after about an hour: use azure with a client_secret";

/**
 * OpenAI's models use Bedrock's OpenAI-compatible endpoint, which is documented for them; other models use Converse. Both accept an API key
 * or an identity.
 */
export function atBedrock(params: Fields, model: string): Endpoint {
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
    isPaid: true,
    caveats: [...(given === undefined ? [] : caveatsOf(address)), ...(isOfMachine ? [OF_MACHINE] : [])],
  };
}

/** A signature is valid only for the region of the endpoint: with another region, every call would be rejected. */
function bedrockRegion(given: string | undefined, stated: string | undefined): string {
  const there = given && bedrockRegionIn(URL.parse(given)?.hostname ?? "");
  if (there && stated !== undefined && stated !== there && !isFilledIn(stated))
    throw new UnsupportedError(`its aws_bedrock_runtime_endpoint is in the region ${there}, and its aws_region_name is ${stated}`);
  return there || (stated ?? "${AWS_REGION_NAME}");
}

const OF_MACHINE =
  "converted for the AWS credentials of the machine; for a Bedrock API key, replace aws by credential: ${AWS_BEARER_TOKEN_BEDROCK}";

/** Gemini and Claude use their own formats; models of other publishers use the OpenAI-compatible endpoint. */
export function atVertex(params: Fields, model: string): Endpoint {
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
    caveats: [
      ...(hasVariable ? ["converted with vertex_credentials as JSON: for the path of a file, use google.credentials_file"] : []),
      ...(location === undefined ? ["converted with the location us-central1: LiteLLM reads VERTEXAI_LOCATION, if it is set"] : []),
    ],
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
