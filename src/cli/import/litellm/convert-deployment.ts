import type { ModelKind } from "../../../models/catalog.ts";
import { findDefaultPrices } from "../../../models/prices/find-default-prices.ts";
import { isWildcard, MODEL_ID, WILDCARD_ID } from "../../../models/model-id.ts";
import { findKind } from "./find-kind.ts";
import { convertTimeouts, convertTokenLimits, type Timeouts } from "./convert-limits.ts";
import { convertExtraHeaders, type ExtraHeaders } from "./convert-headers.ts";
import { convertDefaults, type ConvertedDefaults } from "./convert-defaults.ts";
import { convertLimits, type RouteLimits } from "./convert-selection.ts";
import { convertPrice, UNSUPPORTED_PRICE, type Pricing } from "./convert-price.ts";
import { convertDrops, type ConvertedDrops } from "./convert-drops.ts";
import type { Settings } from "./convert-settings.ts";
import type { Endpoint } from "./endpoint/endpoint.ts";
import { findEndpoint } from "./endpoint/find-endpoint.ts";
import { isTrue } from "./yaml/is-true.ts";
import { Fields } from "./yaml/fields.ts";
import { UnsupportedError, asUnsupported, quoted, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";
import { readRank, type Rank } from "./rank-routes.ts";
import { priceOfBaseModel } from "./price-of-base-model.ts";
import { whyNotInfo, whyNotParameter } from "./reasons.ts";
import { isFilledIn, variableIn, type Credential } from "./references.ts";

/** A deployment that can be converted. */
export interface Deployment {
  readonly id: string;
  readonly kind: ModelKind;
  /** The only account that may call it; undefined for every account. */
  readonly account: string | undefined;
  readonly endpoint: Endpoint;
  readonly credential: Credential | undefined;
  readonly timeouts: Timeouts;
  readonly pricing: Pricing & { readonly note?: string };
  /** Whether it has a price. Requests without a price are rejected. */
  readonly isPriced: boolean;
  readonly rank: Rank;
  readonly routeLimits: RouteLimits;
  /** The node that names its model. */
  readonly node: YamlNode;
  readonly limits: { readonly context_window?: number; readonly max_output_tokens?: number };
  readonly sentBeside: ExtraHeaders;
  readonly defaults: ConvertedDefaults;
  readonly drops: ConvertedDrops;
}

/** Equal for deployments that share an upstream. */
export function identityOf({ endpoint, credential, timeouts, sentBeside }: Deployment): string {
  const secret = credential && ("variable" in credential ? ["variable", credential.variable] : ["secret", credential.secret]);
  const { identity } = endpoint;
  const secrets = Object.entries(identity?.secrets ?? {}).map(([field, each]) => [field, "variable" in each ? each.variable : each.secret]);
  const { organization = null, project = null } = sentBeside;
  const headers = Object.entries(sentBeside.headers ?? {}).map(([name, value]) => [name, "secret" in value ? value.secret : value]);
  const authorization = [secret ?? null, identity?.fields ?? null, secrets];
  return JSON.stringify([
    endpoint.dialect,
    endpoint.preset ?? null,
    endpoint.apiVersion ?? null,
    endpoint.baseUrl,
    authorization,
    timeouts,
    organization,
    project,
    headers,
  ]);
}

/** Validates a model name. Throws `UnsupportedError`. */
export function checkedName(name: string | undefined): string {
  if (name === undefined) throw new UnsupportedError("it has no model_name");
  if (name.includes("*") && !new RegExp(WILDCARD_ID).test(name)) throw new UnsupportedError("a wildcard has one *, at its end");
  if (isFilledIn(name) || variableIn(name) !== undefined) throw new UnsupportedError("its name comes from the environment: write it out");
  if ((isWildcard(name) || new RegExp(MODEL_ID).test(name)) && name.length <= 200) return name;
  throw new UnsupportedError(`${quoted(name)} is not a valid model ID: at most 200 ASCII characters without spaces`);
}

/** Converts a deployment, and lists its unsupported settings. Throws `UnsupportedError` if it cannot be converted. */
export function convertDeployment(id: string, at: YamlNode, settings: Settings, unsupported: Unsupported[]): Deployment {
  const deployment = new Fields(at);
  deployment.take("model_name");
  const own = deployment.take("litellm_params");
  if (!own?.fields) throw new UnsupportedError("it has no litellm_params");
  const params = new Fields(own, namedCredential(own, settings.credentials));
  params.take("litellm_credential_name");
  const about = deployment.take("model_info");
  if (about && !about.fields) unsupported.push(asUnsupported(about, "it has no fields"));
  const info = new Fields(about);
  rejectUnserved(params, info);
  const endpoint = findEndpoint(params, settings);
  if (isWildcard(id) !== isWildcard(endpoint.model)) throw new UnsupportedError("its model_name and its model are not both wildcards");
  const kind = findKind(endpoint, info);
  const account = convertTeam(info, settings, unsupported);
  const model = params.take("model")!;
  const caveats = [...endpoint.caveats, ...(isWildcard(id) ? [whatWildcardsStandFor(kind)] : [])];
  unsupported.push(...caveats.map((caveat) => asUnsupported(model, caveat)));
  const pricing = withDefaultPrice(convertPrice([params, info], kind, unsupported), endpoint, kind, [info, params]);
  const converted = {
    id,
    kind,
    account,
    endpoint,
    credential: convertCredential(params, endpoint, unsupported),
    timeouts: convertTimeouts(params, settings.timeouts, unsupported),
    pricing,
    isPriced: pricing !== UNPRICED,
    rank: readRank(params, settings.choice.isByWeight, model, unsupported),
    routeLimits: convertLimits(params, settings.choice, unsupported),
    node: model,
    limits: convertTokenLimits(info, kind, unsupported),
    sentBeside: convertExtraHeaders(params, endpoint, unsupported),
    // Default parameters are for chat completions.
    defaults: kind === "chat" ? convertDefaults(params, settings.defaults, unsupported) : {},
    drops: convertDrops(params, settings.dropsUnsupported, endpoint, kind, unsupported),
  };
  unsupported.push(...deployment.rest.map((each) => asUnsupported(each, whyNotParameter(each.name))));
  unsupported.push(...params.rest.map((each) => asUnsupported(each, whyNotParameter(each.name))));
  unsupported.push(...info.rest.map((each) => asUnsupported(each, whyNotInfo(each.name))));
  return converted;
}

function whatWildcardsStandFor(kind: ModelKind): string {
  return `converted to a wildcard model: it stands for the ${kind} models that the upstream lists and that have a price, and for no other name`;
}

/** The entry of `credential_list` that a deployment refers to. */
function namedCredential(params: YamlNode, credentials: ReadonlyMap<string, YamlNode>): YamlNode | undefined {
  const name = params.fields?.get("litellm_credential_name")?.text;
  if (name === undefined) return undefined;
  const found = credentials.get(name);
  if (!found) throw new UnsupportedError("its litellm_credential_name is not in the credential_list of this file");
  return found;
}

/** Rejects deployments that LiteLLM does not send anywhere. */
function rejectUnserved(params: Fields, info: Fields): void {
  if (isTrue(info.take("blocked"))) throw new UnsupportedError("it is blocked in LiteLLM, and gets no traffic there");
  if (params.take("mock_response")) throw new UnsupportedError("it is a mock_response; use an upstream with the dialect echo for tests");
}

const RESTRICTED =
  "restricted to the account of the team, which tollgate import keys creates: the gateway rejects the file as long as the account does not exist";

/** The account of the team that is allowed to call it, if only one is. */
function convertTeam(info: Fields, { accountOf }: Settings, unsupported: Unsupported[]): string | undefined {
  const team = info.take("team_id");
  if (!team) return undefined;
  info.take("team_public_model_name");
  if (!team.text) throw new UnsupportedError("its team_id is not text");
  const account = accountOf(team.text);
  if (account === undefined) throw new UnsupportedError(`its team ${quoted(team.text)} is not in the database`);
  unsupported.push(asUnsupported(team, RESTRICTED));
  return account;
}

/** Placeholders for servers without a secret, because LiteLLM requires one. */
const NO_SECRET = /^(none|null|empty|dummy|fake|fake-key|anything|not-needed|no-key|no-key-required|n\/?a|x+|-+)?$/i;

const PLACEHOLDER = "converted without a credential: it looks like a placeholder";

function convertCredential(params: Fields, endpoint: Endpoint, unsupported: Unsupported[]): Credential | undefined {
  const { secretVariable, identity, allowPrivate } = endpoint;
  if (identity) return undefined;
  const node = params.take("api_key") ?? params.take("azure_ad_token");
  if (!node) return secretVariable === undefined ? undefined : { variable: secretVariable };
  if (node.text === undefined) throw new UnsupportedError("its api_key is not text");
  const variable = variableIn(node.text);
  if (variable !== undefined) return { variable };
  if (!NO_SECRET.test(node.text)) return { secret: node.text, node };
  if (!allowPrivate) unsupported.push(asUnsupported(node, PLACEHOLDER));
  return undefined;
}

const UNPRICED: Deployment["pricing"] = { note: "rejected until it has a price, or free: true" };

/**
 * A model without a price is free in LiteLLM; Tollgate rejects its requests. A private server is free, like one that Tollgate discovers.
 * For any other server the operator has to decide.
 */
function withDefaultPrice(pricing: Pricing, endpoint: Endpoint, kind: ModelKind, sections: readonly Fields[]): Deployment["pricing"] {
  if (pricing.free || pricing.price) return pricing;
  if (endpoint.allowPrivate && !endpoint.isPaid && pricing !== UNSUPPORTED_PRICE)
    return { free: true, note: "no price is given, and the server is private" };
  const namesItsBase = sections.find((section) => section.peek("base_model")?.text !== undefined);
  const basePricing = namesItsBase && priceOfBaseModel(namesItsBase.peek("base_model")!.text!, endpoint, kind);
  if (basePricing) namesItsBase.take("base_model");
  if (basePricing) return basePricing;
  // Each model that a wildcard stands for has its own published price.
  if (isWildcard(endpoint.model)) return {};
  return findDefaultPrices(endpoint.sample, endpoint.model, kind).length > 0 ? {} : UNPRICED;
}
