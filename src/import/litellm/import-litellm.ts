import { ConfigError } from "../../config/config-error.ts";
import { parseConfigFile } from "../../config/config-file.ts";
import { checkedName, convertDeployment, type Deployment } from "./convert-deployment.ts";
import { convertSettings, type Settings } from "./convert-settings.ts";
import { Fields } from "./fields.ts";
import { gatherUpstreams } from "./gather-upstreams.ts";
import { CannotCarry, notCarried, quoted, type NotCarried } from "./not-carried.ts";
import { readYaml, type Placed } from "./placed.ts";
import { NOTHING_LIKE_IT, whyNotSection } from "./reasons.ts";
import { writeConfig } from "./write-config.ts";

export interface Imported {
  /** Our config file. */
  readonly config: string;
  readonly upstreams: number;
  readonly models: number;
  readonly notCarried: readonly NotCarried[];
}

/** Turns the text of a LiteLLM proxy's config into one of ours. Throws `ConfigError` where it is none. */
export function importLiteLLM(text: string, fileName: string): Imported {
  const root = readYaml(text, fileName);
  if (!root.fields) throw new ConfigError(`${root.place}: this is no LiteLLM config: it should have a model_list`);
  const lost: NotCarried[] = [];
  const sections = new Fields(root);
  const list = sections.take("model_list");
  const settings = convertSettings(sections, lost);
  const carried = carryDeployments(list, settings, lost);
  const deployments = [...carried.values(), ...carryAliases(settings.aliases, carried, lost)];
  const gathered = gatherUpstreams(deployments, text, lost);
  const others = sections.rest.filter((section) => !section.isAnchored || whyNotSection(section.name) !== NOTHING_LIKE_IT);
  lost.push(...others.map((section) => notCarried(section, whyNotSection(section.name))));
  const all = inOrder(lost);
  const config = writeConfig(gathered, all, fileName);
  // What is handed out must be what Tollgate takes: the same parser decides.
  parseConfigFile(config, "the imported file", Object.fromEntries(gathered.variables), 0);
  return { config, upstreams: gathered.upstreams.length, models: deployments.length, notCarried: all };
}

interface Candidate {
  readonly deployment: Deployment;
  readonly at: Placed;
  readonly lost: readonly NotCarried[];
}

/** The first deployment of each name that can be served and has a price; where none has a price, the first that can be served. */
function carryDeployments(list: Placed | undefined, settings: Settings, lost: NotCarried[]): Map<string, Deployment> {
  const chosen = new Map<string, Candidate>();
  if (list && !list.items) lost.push(notCarried(list, "it is not a list of models"));
  for (const at of list?.items ?? []) {
    try {
      const id = checkedName(at.fields?.get("model_name")?.text);
      const before = chosen.get(id);
      if (before?.deployment.isPriced) throw new CannotCarry(servedBy(id, before.at));
      const candidate = toCandidate(id, at, settings);
      if (before && !candidate.deployment.isPriced) throw new CannotCarry(servedBy(id, before.at));
      if (before) lost.push(notCarried(before.at, `it has no price: ${servedBy(id, at)}`));
      chosen.delete(id);
      chosen.set(id, candidate);
    } catch (error) {
      if (!(error instanceof CannotCarry)) throw error;
      lost.push(notCarried(at, error.message));
    }
  }
  lost.push(...[...chosen.values()].flatMap((each) => each.lost));
  return new Map([...chosen].map(([id, { deployment }]) => [id, deployment]));
}

function toCandidate(id: string, at: Placed, settings: Settings): Candidate {
  const lost: NotCarried[] = [];
  return { deployment: convertDeployment(id, at, settings, lost), at, lost };
}

function servedBy(id: string, { field }: Placed): string {
  return `${quoted(id)} is served by ${field}, and a model has one route for now`;
}

/** Another name for a model is another model here, with the same route. */
function carryAliases(aliases: Placed | undefined, carried: ReadonlyMap<string, Deployment>, lost: NotCarried[]): Deployment[] {
  return [...(aliases?.fields?.values() ?? [])].flatMap((alias) => {
    try {
      const id = checkedName(alias.name);
      const target = carried.get(alias.text ?? alias.fields?.get("model")?.text ?? "");
      if (carried.has(id)) throw new CannotCarry(`${quoted(id)} is a model of its own already`);
      if (!target) throw new CannotCarry("the model it stands for was not carried");
      const isHidden = /^true$/i.test(alias.fields?.get("hidden")?.text ?? "");
      if (isHidden) lost.push(notCarried(alias, "carried, but not hidden: it is in the list of models"));
      return [{ ...target, id }];
    } catch (error) {
      if (!(error instanceof CannotCarry)) throw error;
      lost.push(notCarried(alias, error.message));
      return [];
    }
  });
}

/** By their place in the file, each once: what two deployments share would be told twice. */
function inOrder(lost: readonly NotCarried[]): NotCarried[] {
  const once = new Map(lost.map((each) => [`${each.field} ${each.why}`, each]));
  return [...once.values()].toSorted((one, other) => positionOf(one) - positionOf(other));
}

function positionOf({ place }: NotCarried): number {
  const [line, column] = place.split(":").slice(-2).map(Number) as [number, number];
  return line * 1e6 + column;
}
