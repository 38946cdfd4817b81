import type { Environment } from "../../../config/config-error.ts";
import { reportOtherDefaults } from "./convert-defaults.ts";
import { DROPS } from "./convert-drops.ts";
import { takeFallbacks, type FallbackSettings } from "./convert-fallbacks.ts";
import { readChoice, type Choice } from "./convert-selection.ts";
import { isTrue } from "./yaml/is-true.ts";
import { readTimeouts, type ReadTimeouts } from "./convert-limits.ts";
import { Fields } from "./yaml/fields.ts";
import { asUnsupported, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";
import { NO_EQUIVALENT, NOT_NEEDED, whyNotCache, whyNotParameter, whyNotSetting } from "./reasons.ts";

/** Settings outside the `model_list` that apply to its deployments. */
export interface Settings {
  /** Defaults for deployments without their own. */
  readonly timeouts: ReadTimeouts;
  readonly choice: Choice;
  /** The `credential_values` of each name in the `credential_list`. */
  readonly credentials: ReadonlyMap<string, YamlNode>;
  readonly aliases: YamlNode | undefined;
  /** `enable_azure_ad_token_refresh`: deployments of Azure without a key have the identity of the machine. */
  readonly hasAzureIdentity: boolean;
  readonly fallbacks: FallbackSettings;
  /** `default_litellm_params`: parameters of all deployments. */
  readonly defaults: YamlNode | undefined;
  /** `drop_params`: LiteLLM drops the parameters that a provider does not support, for all deployments. */
  readonly dropsUnsupported: boolean;
  /** The environment of the command: `model: os.environ/NAME` is the model that LiteLLM would call on this machine. */
  readonly environment: Environment;
  /** The account of a team; undefined for a team that LiteLLM does not have. */
  readonly accountOf: (team: string) => string | undefined;
}

export function convertSettings(
  sections: Fields,
  context: Pick<Settings, "environment" | "accountOf">,
  unsupported: Unsupported[],
): Settings {
  const router = new Fields(sections.take("router_settings"));
  const library = new Fields(sections.take("litellm_settings"));
  const general = new Fields(sections.take("general_settings"));
  const settings = {
    ...context,
    timeouts: readTimeouts(router, library, unsupported),
    choice: readChoice(router),
    credentials: credentialsIn(sections.take("credential_list"), unsupported),
    aliases: router.take("model_group_alias"),
    hasAzureIdentity: isTrue(library.take("enable_azure_ad_token_refresh")),
    fallbacks: takeFallbacks(router, library, unsupported),
    defaults: router.take("default_litellm_params"),
    dropsUnsupported: takeDrops(library, unsupported),
  };
  reportOtherDefaults(settings.defaults, whyNotParameter, unsupported);
  reportCache(library, unsupported);
  if (settings.aliases && !settings.aliases.fields) unsupported.push(asUnsupported(settings.aliases, "it has no names in it"));
  for (const { rest } of [router, library, general]) unsupported.push(...rest.map((each) => asUnsupported(each, whyNotSetting(each.name))));
  reportVariables(sections.take("environment_variables"), unsupported);
  reportUnreadable(sections, unsupported);
  return settings;
}

/** `drop_params: false` is LiteLLM's default, and is reported with the other settings. */
function takeDrops(library: Fields, unsupported: Unsupported[]): boolean {
  const isSet = isTrue(library.peek("drop_params"));
  if (isSet) unsupported.push(asUnsupported(library.take("drop_params")!, DROPS));
  return isSet;
}

/** The advice contains the TTL of the file. */
function reportCache(library: Fields, unsupported: Unsupported[]): void {
  const [cache, params] = [library.take("cache"), library.take("cache_params")];
  const why = whyNotCache(params?.fields?.get("ttl")?.number);
  unsupported.push(...[cache, params].flatMap((each) => (each ? asUnsupported(each, why) : [])));
}

function credentialsIn(list: YamlNode | undefined, unsupported: Unsupported[]): Map<string, YamlNode> {
  const named = new Map<string, YamlNode>();
  for (const item of list?.items ?? []) {
    const name = item.fields?.get("credential_name")?.text;
    const values = item.fields?.get("credential_values");
    const info = item.fields?.get("credential_info");
    if (info) unsupported.push(asUnsupported(info, NOT_NEEDED));
    if (name !== undefined && values?.fields) named.set(name, values);
    else unsupported.push(asUnsupported(item, "it has no credential_name, or no credential_values"));
  }
  return named;
}

/** The values may be secret, so they are not printed. */
function reportVariables(section: YamlNode | undefined, unsupported: Unsupported[]): void {
  for (const variable of section?.fields?.values() ?? []) {
    const isBaseUrl = /_(API_BASE|BASE_URL)$/.test(variable.name);
    const why = isBaseUrl ? "LiteLLM may take a base URL from it: set upstreams[].base_url" : "set it in Tollgate's environment";
    unsupported.push(asUnsupported(variable, why));
  }
}

/** Reports sections that should have fields but have none. */
function reportUnreadable(sections: Fields, unsupported: Unsupported[]): void {
  for (const name of ["router_settings", "litellm_settings", "general_settings", "environment_variables", "credential_list"]) {
    const section = sections.take(name);
    if (section && !section.fields && !section.items) unsupported.push(asUnsupported(section, NO_EQUIVALENT));
  }
}
