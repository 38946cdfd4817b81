import { ConfigError } from "../../../config/config-error.ts";
import { parseConfigFile } from "../../../config/config-file.ts";
import { convertAliases, convertModelList } from "./convert-model-list.ts";
import { convertSettings } from "./convert-settings.ts";
import { Fields } from "./fields.ts";
import { gatherUpstreams } from "./gather-upstreams.ts";
import { asUnsupported, type Unsupported } from "./unsupported.ts";
import { readYaml } from "./yaml-node.ts";
import { NOTHING_LIKE_IT, whyNotSection } from "./reasons.ts";
import { writeConfig } from "./write-config.ts";

export interface Imported {
  /** Our config file. */
  readonly config: string;
  readonly upstreams: number;
  readonly models: number;
  readonly unsupported: readonly Unsupported[];
}

/** Turns the text of a LiteLLM proxy's config into one of ours. Throws `ConfigError` where it is none. */
export function importLiteLLM(text: string, fileName: string): Imported {
  const root = readYaml(text, fileName);
  if (!root.fields) throw new ConfigError(`${root.place}: this is no LiteLLM config: it should have a model_list`);
  const unsupported: Unsupported[] = [];
  const sections = new Fields(root);
  const list = sections.take("model_list");
  const settings = convertSettings(sections, unsupported);
  const carried = convertModelList(list, settings, unsupported);
  const models = [...carried.values(), ...convertAliases(settings.aliases, carried, unsupported)];
  const gathered = gatherUpstreams(models, text, unsupported);
  const others = sections.rest.filter((section) => !section.isAnchored || whyNotSection(section.name) !== NOTHING_LIKE_IT);
  unsupported.push(...others.map((section) => asUnsupported(section, whyNotSection(section.name))));
  const all = inOrder(unsupported);
  const config = writeConfig(gathered, all, fileName);
  // What is handed out must be what Tollgate takes: the same parser decides.
  parseConfigFile(config, "the imported file", Object.fromEntries(gathered.variables), 0);
  return { config, upstreams: gathered.upstreams.length, models: models.length, unsupported: all };
}

/** By their place in the file, each once: what two deployments share would be told twice. */
function inOrder(unsupported: readonly Unsupported[]): Unsupported[] {
  const once = new Map(unsupported.map((each) => [`${each.field} ${each.why}`, each]));
  return [...once.values()].toSorted((one, other) => positionOf(one) - positionOf(other));
}

function positionOf({ place }: Unsupported): number {
  const [line, column] = place.split(":").slice(-2).map(Number) as [number, number];
  return line * 1e6 + column;
}
