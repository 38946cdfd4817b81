import { convertTimeouts, type Timeouts } from "./convert-limits.ts";
import { Fields } from "./fields.ts";
import { notCarried, type NotCarried } from "./unsupported.ts";
import type { Placed } from "./yaml-node.ts";
import { NOTHING_LIKE_IT, whyNotSetting } from "./reasons.ts";

/** What the sections beside the `model_list` say about its deployments. */
export interface Settings {
  /** For those that have none of their own. */
  readonly timeouts: Timeouts;
  /** The `credential_values` of each name in the `credential_list`. */
  readonly credentials: ReadonlyMap<string, Placed>;
  readonly aliases: Placed | undefined;
}

export function convertSettings(sections: Fields, lost: NotCarried[]): Settings {
  const router = new Fields(sections.take("router_settings"));
  const library = new Fields(sections.take("litellm_settings"));
  const general = new Fields(sections.take("general_settings"));
  const settings = {
    timeouts: defaultTimeouts(router, library, lost),
    credentials: credentialsIn(sections.take("credential_list"), lost),
    aliases: router.take("model_group_alias"),
  };
  if (settings.aliases && !settings.aliases.fields) lost.push(notCarried(settings.aliases, "it has no names in it"));
  for (const { rest } of [router, library, general]) lost.push(...rest.map((each) => notCarried(each, whyNotSetting(each.name))));
  loseVariables(sections.take("environment_variables"), lost);
  loseUnreadable(sections, lost);
  return settings;
}

/** The router's go before those of the library, as they do in LiteLLM. */
function defaultTimeouts(router: Fields, library: Fields, lost: NotCarried[]): Timeouts {
  const [first, second] = [router.take("timeout"), library.take("request_timeout")];
  return convertTimeouts(first ?? second, router.take("stream_timeout"), {}, lost);
}

function credentialsIn(list: Placed | undefined, lost: NotCarried[]): Map<string, Placed> {
  const named = new Map<string, Placed>();
  for (const item of list?.items ?? []) {
    const name = item.fields?.get("credential_name")?.text;
    const values = item.fields?.get("credential_values");
    if (name !== undefined && values?.fields) named.set(name, values);
    else lost.push(notCarried(item, "it has no credential_name, or no credential_values"));
  }
  return named;
}

/** Their values may be secrets, so none is repeated. */
function loseVariables(section: Placed | undefined, lost: NotCarried[]): void {
  const why = "set it in the environment that Tollgate is started in";
  lost.push(...[...(section?.fields?.values() ?? [])].map((variable) => notCarried(variable, why)));
}

/** A section that should have fields and has none. */
function loseUnreadable(sections: Fields, lost: NotCarried[]): void {
  for (const name of ["router_settings", "litellm_settings", "general_settings", "environment_variables", "credential_list"]) {
    const section = sections.take(name);
    if (section && !section.fields && !section.items) lost.push(notCarried(section, NOTHING_LIKE_IT));
  }
}
