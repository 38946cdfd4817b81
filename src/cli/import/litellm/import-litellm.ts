import type { Environment } from "../../../config/config-error.ts";
import { parseConfigFile } from "../../../config/config-file.ts";
import { accountIdOf } from "../keys/import-plan.ts";
import { convertAliases, convertModelList } from "./convert-model-list.ts";
import { convertSettings, type Settings } from "./convert-settings.ts";
import { convertFallbacks } from "./convert-fallbacks.ts";
import { Fields } from "./yaml/fields.ts";
import { gatherUpstreams } from "./gather-upstreams.ts";
import { asUnsupported, type Unsupported } from "./unsupported.ts";
import { findConfig } from "./yaml/find-config.ts";
import { NO_EQUIVALENT, whyNotSection } from "./reasons.ts";
import { writeConfig } from "./write-config.ts";

export interface ImportedConfig {
  /** The text of tollgate.yaml. */
  readonly config: string;
  readonly upstreams: number;
  readonly models: number;
  /** The number of deployments in `model_list` that could not be converted. */
  readonly skipped: number;
  /** The environment variables that it refers to. */
  readonly variables: readonly string[];
  readonly unsupported: readonly Unsupported[];
}

const OF_KUBERNETES =
  "the config is read from here; the other settings of this file are for LiteLLM on Kubernetes, and are not read: docs/deployment.md has Tollgate's settings";

/**
 * Converts a LiteLLM config to a tollgate.yaml. Throws `ConfigError` if the text is not a LiteLLM config. `environment` has the model names
 * that come from variables.
 */
export function importLiteLLM(text: string, fileName: string, environment: Environment = {}): ImportedConfig {
  // The file does not list the teams, so any team may exist in the database.
  return convertConfig(text, fileName, { prefix: "", environment, accountOf: (team) => accountIdOf("team", team) }).imported;
}

interface ConversionContext extends Pick<Settings, "environment" | "accountOf"> {
  /** The prefix of upstream IDs. */
  readonly prefix: string;
}

/** Like `importLiteLLM`, and also returns the plaintext secrets of the config, by the names of the variables that replace them. */
export function convertConfig(
  text: string,
  fileName: string,
  { prefix, ...context }: ConversionContext,
): { readonly imported: ImportedConfig; readonly secrets: ReadonlyMap<string, string> } {
  const { root, container, duplicates } = findConfig(text, fileName);
  const unsupported: Unsupported[] = [...duplicates, ...(container ? [asUnsupported(container, OF_KUBERNETES)] : [])];
  const sections = new Fields(root);
  const list = sections.take("model_list");
  const settings = convertSettings(sections, context, unsupported);
  const converted = convertModelList(list, settings, unsupported);
  const models = [...converted.models.values(), ...convertAliases(settings.aliases, converted.models, unsupported)];
  const named = models.map(({ id, deployments }) => ({ id, kind: deployments[0]!.kind }));
  const fallbacks = convertFallbacks(settings.fallbacks, named, unsupported);
  const gathered = gatherUpstreams(models, fallbacks, settings.choice.selection, { text, prefix }, unsupported);
  const others = sections.rest.filter((section) => !section.isAnchored || whyNotSection(section.name) !== NO_EQUIVALENT);
  unsupported.push(...others.map((section) => asUnsupported(section, whyNotSection(section.name))));
  const all = inOrder(unsupported);
  const config = writeConfig(gathered, all, fileName);
  // The output must be a valid config: the same parser checks it.
  parseConfigFile(config, "the imported file", Object.fromEntries(gathered.variables), 0);
  const variables = [...gathered.variables.keys()].toSorted();
  const { skipped } = converted;
  const imported = { config, upstreams: gathered.upstreams.length, models: models.length, skipped, variables, unsupported: all };
  return { imported, secrets: gathered.secrets };
}

/** In the order of the file, without duplicates from shared settings. */
function inOrder(unsupported: readonly Unsupported[]): Unsupported[] {
  const once = new Map(unsupported.map((each) => [`${each.field} ${each.why}`, each]));
  return [...once.values()].toSorted((one, other) => positionOf(one) - positionOf(other));
}

function positionOf({ place }: Unsupported): number {
  const [line, column] = place.split(":").slice(-2).map(Number) as [number, number];
  return line * 1e6 + column;
}
