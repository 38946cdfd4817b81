import { findDefaultPrices } from "../../../models/prices/find-default-prices.ts";
import { MODEL_ID } from "../../../models/catalog.ts";
import { soundsLikeChat } from "../../../models/chat-model-names.ts";
import { convertTimeouts, convertTokenLimits, type Timeouts } from "./convert-limits.ts";
import { convertPrice, UNSUPPORTED_PRICE, type Pricing } from "./convert-price.ts";
import type { Settings } from "./convert-settings.ts";
import { findEndpoint, type Endpoint } from "./endpoint.ts";
import { Fields } from "./fields.ts";
import { UnsupportedError, asUnsupported, quoted, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml-node.ts";
import { readRank, type Rank } from "./rank-routes.ts";
import { priceOfBaseModel } from "./price-of-base-model.ts";
import { whyNotInfo, whyNotParameter } from "./reasons.ts";
import { isFilledIn, variableIn } from "./references.ts";

/** Our secret at an upstream: where it is read from, or the secret itself, which stays in memory. */
export type Credential = { readonly variable: string } | { readonly secret: string; readonly node: YamlNode };

/** A deployment that can be carried. */
export interface Deployment {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly credential: Credential | undefined;
  readonly timeouts: Timeouts;
  readonly pricing: Pricing & { readonly note?: string };
  /** Whether it can be called as it is. */
  readonly isPriced: boolean;
  readonly rank: Rank;
  /** Where its model is named. */
  readonly node: YamlNode;
  readonly limits: { readonly context_window?: number; readonly max_output_tokens?: number };
}

/** The same for deployments that share an upstream. */
export function identityOf({ endpoint, credential, timeouts }: Deployment): string {
  const secret = credential && ("variable" in credential ? ["variable", credential.variable] : ["secret", credential.secret]);
  return JSON.stringify([endpoint.dialect, endpoint.preset ?? null, endpoint.baseUrl, secret ?? null, timeouts]);
}

/** A public name, if it can be one of ours. Else throws `UnsupportedError`. */
export function checkedName(name: string | undefined): string {
  if (name === undefined) throw new UnsupportedError("it has no model_name");
  if (name.includes("*")) throw new UnsupportedError("a wildcard: Tollgate lists each model by its name, so name those you use");
  if (isFilledIn(name) || variableIn(name) !== undefined) throw new UnsupportedError("its name comes from the environment: write it out");
  if (new RegExp(MODEL_ID).test(name) && name.length <= 200) return name;
  throw new UnsupportedError(`${quoted(name)} cannot be a name here: at most 200 ASCII characters without spaces`);
}

/** Turns a deployment into one of ours, and says what of it is lost. Throws `UnsupportedError` where nothing can be carried. */
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
  refuseOtherModes(params, info);
  const endpoint = findEndpoint(params);
  const model = params.take("model")!;
  unsupported.push(...endpoint.caveats.map((caveat) => asUnsupported(model, caveat)));
  const pricing = withoutSurprise(convertPrice([params, info], unsupported), endpoint, [info, params]);
  const converted = {
    id,
    endpoint,
    credential: convertCredential(params, endpoint),
    timeouts: convertTimeouts(params.take("timeout"), params.take("stream_timeout"), settings.timeouts, unsupported),
    pricing,
    isPriced: pricing !== REFUSED,
    rank: readRank(params, unsupported),
    node: model,
    limits: convertTokenLimits(info, unsupported),
  };
  unsupported.push(...deployment.rest.map((each) => asUnsupported(each, whyNotParameter(each.name))));
  unsupported.push(...params.rest.map((each) => asUnsupported(each, whyNotParameter(each.name))));
  unsupported.push(...info.rest.map((each) => asUnsupported(each, whyNotInfo(each.name))));
  return converted;
}

/** The section of `credential_list` that a deployment borrows from. */
function namedCredential(params: YamlNode, credentials: ReadonlyMap<string, YamlNode>): YamlNode | undefined {
  const name = params.fields?.get("litellm_credential_name")?.text;
  if (name === undefined) return undefined;
  const found = credentials.get(name);
  if (!found) throw new UnsupportedError("its litellm_credential_name is not in the credential_list of this file");
  return found;
}

function refuseOtherModes(params: Fields, info: Fields): void {
  const mode = info.take("mode")?.text;
  if (mode !== undefined && mode !== "chat")
    throw new UnsupportedError(`its mode is ${quoted(mode)}, and Tollgate serves chat completions`);
  const names = [params.peek("model")?.text, info.peek("base_model")?.text].filter((name) => name !== undefined);
  if (mode === undefined && !names.every(soundsLikeChat)) {
    throw new UnsupportedError("by its name it is not for chat, which is what Tollgate serves; if it is, set its model_info.mode to chat");
  }
  if (params.take("mock_response"))
    throw new UnsupportedError("it is a mock_response; Tollgate's upstream for trying things out is the dialect echo");
}

/** Words that people write where a server asks for no secret and LiteLLM insists on one. */
const NO_SECRET = /^(none|null|empty|dummy|fake|fake-key|anything|not-needed|no-key|no-key-required|n\/?a|x+|-+)?$/i;

function convertCredential(params: Fields, { secretVariable }: Endpoint): Credential | undefined {
  const node = params.take("api_key");
  if (!node) return secretVariable === undefined ? undefined : { variable: secretVariable };
  if (node.text === undefined) throw new UnsupportedError("its api_key is not text");
  const variable = variableIn(node.text);
  if (variable !== undefined) return { variable };
  return NO_SECRET.test(node.text) ? undefined : { secret: node.text, node };
}

const REFUSED: Deployment["pricing"] = { note: "refused until it has a price, or free: true" };

/**
 * What LiteLLM has no price for costs nothing there; here it cannot be called. A server of one's own is free, as it is
 * when Tollgate finds one by itself. For any other, somebody has to decide.
 */
function withoutSurprise(pricing: Pricing, endpoint: Endpoint, sections: readonly Fields[]): Deployment["pricing"] {
  if (pricing.free || pricing.price) return pricing;
  if (endpoint.allowPrivate && pricing !== UNSUPPORTED_PRICE)
    return { free: true, note: "no price is given, and the server is a private one" };
  const namesItsBase = sections.find((section) => section.peek("base_model")?.text !== undefined);
  const ofItsBase = namesItsBase && priceOfBaseModel(namesItsBase.peek("base_model")!.text!, endpoint);
  if (ofItsBase) namesItsBase.take("base_model");
  if (ofItsBase) return ofItsBase;
  return findDefaultPrices(endpoint.sample, endpoint.model).length > 0 ? {} : REFUSED;
}
