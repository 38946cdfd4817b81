import type { ModelKind } from "../../../models/catalog.ts";
import { BILLED_PARAMETERS } from "../../../models/parameters/billed-parameters.ts";
import { parameterRules } from "../../../models/parameters/dialect-parameters.ts";
import { LIMIT_NAMES, FIELDS_WITHOUT_POLICY } from "../../../models/parameters/parameter-policy.ts";
import { STANDARD_PARAMETERS } from "../../../models/parameters/standard-parameters.ts";
import { presetAt } from "../../../models/presets.ts";
import type { Endpoint } from "./endpoint/endpoint.ts";
import { isTrue } from "./yaml/is-true.ts";
import { asUnsupported, type Unsupported } from "./unsupported.ts";
import type { Fields } from "./yaml/fields.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

/** The parameters of requests that LiteLLM drops on the way to a deployment. */
export interface ConvertedDrops {
  readonly names: ReadonlySet<string>;
  /** The list in the file, if it has one. */
  readonly list: YamlNode | undefined;
}

export const DROPS =
  "converted to models[].parameters for parameters that Tollgate would reject. It drops or passes the others by its own rules: see docs/migrating-from-litellm.md#dropped-parameters";

/** Like in LiteLLM, `drop_params` of all deployments takes precedence over the deployment's `drop_params`. */
export function convertDrops(
  params: Fields,
  dropsAll: boolean,
  endpoint: Endpoint,
  kind: ModelKind,
  unsupported: Unsupported[],
): ConvertedDrops {
  const isOwn = kind === "chat" && isTrue(params.peek("drop_params"));
  if (isOwn) unsupported.push(asUnsupported(params.take("drop_params")!, DROPS));
  const list = params.take("additional_drop_params");
  const listed = list ? namesIn(list, unsupported) : [];
  return { names: new Set([...(isOwn || (dropsAll && kind === "chat") ? unsupportedBy(endpoint) : []), ...listed]), list };
}

/** The parameters that the model may drop: a model has one policy for all of its routes. */
export function commonDrops(all: readonly ConvertedDrops[], unsupported: Unsupported[]): string[] {
  const common = [...all[0]!.names].filter((name) => all.every(({ names }) => names.has(name)));
  for (const { names, list } of all) {
    const isWhole = [...names].every((name) => common.includes(name));
    if (list && !isWhole) unsupported.push(asUnsupported(list, "converted for parameters that all deployments of the model drop"));
  }
  return common;
}

/** OpenAI's models that reason with each request return 400 for these parameters. LiteLLM recognizes the models by name. */
const REASONING_MODEL = /^(gpt-5(-mini|-nano)?|o\d(-mini|-pro)?)(-\d{4}-\d{2}-\d{2})?$/;
const OF_SAMPLING = ["temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs"];

/**
 * The parameters that Tollgate would reject and LiteLLM drops. LiteLLM passes these parameters to Groq, and translates them for Gemini.
 * Parameters that change the bill are supported by the provider, so LiteLLM does not drop them either.
 */
function unsupportedBy({ dialect, preset, sample, model }: Endpoint): readonly string[] {
  const known = preset ?? presetAt(sample, dialect);
  if (dialect === "gemini" || known === "groq") return [];
  if ((known === "openai" || known === "azure") && REASONING_MODEL.test(model)) return OF_SAMPLING;
  const { byName } = parameterRules({ dialect, preset: known }, model);
  return Object.keys(byName).filter(
    (name) => byName[name] === "refuse" && STANDARD_PARAMETERS.has(name) && !Object.hasOwn(BILLED_PARAMETERS, name),
  );
}

/** The names in `additional_drop_params`. A path into a parameter, such as `tools[*].strict`, is not a parameter name. */
function namesIn(list: YamlNode, unsupported: Unsupported[]): string[] {
  if (!list.items) {
    unsupported.push(asUnsupported(list, "not converted: it is not a list of parameters"));
    return [];
  }
  return list.items.flatMap((item) => {
    const name = item.text ?? "";
    const why = whyNotDropped(name);
    if (why === undefined) return [name];
    unsupported.push(asUnsupported(item, why));
    return [];
  });
}

function whyNotDropped(name: string): string | undefined {
  if (!/^[a-z0-9_]{1,100}$/.test(name)) return "not converted: only whole parameters can be dropped, by their names";
  if (FIELDS_WITHOUT_POLICY.has(name)) return "not converted: it is a required part of every request";
  if ((LIMIT_NAMES as readonly string[]).includes(name)) return "not converted: credit is set aside by it, so it cannot be dropped";
  return undefined;
}
