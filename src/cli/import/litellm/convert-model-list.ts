import { isCovered } from "../../../models/catalog.ts";
import { findDefaultPrices } from "../../../models/prices/find-default-prices.ts";
import { isWildcard } from "../../../models/model-id.ts";
import { MAX_ROUTES } from "../../../models/declared-route.ts";
import { checkedName, convertDeployment, identityOf, type Deployment } from "./convert-deployment.ts";
import { withoutSpaces } from "./references.ts";
import { commonDrops } from "./convert-drops.ts";
import type { Settings } from "./convert-settings.ts";
import { isTrue } from "./yaml/is-true.ts";
import { UnsupportedError, asUnsupported, quoted, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

/** A model and its deployments, one per route. The first one sets its price and limits. */
export interface ConvertedModel {
  readonly id: string;
  readonly deployments: readonly Deployment[];
  /** The parameters that are dropped on all of its routes. */
  readonly drops: readonly string[];
}

interface Candidate {
  readonly deployment: Deployment;
  readonly at: YamlNode;
}

interface ConvertedList {
  readonly models: ReadonlyMap<string, ConvertedModel>;
  /** How many deployments could not be converted. */
  readonly skipped: number;
}

/** All convertible deployments by model name. The first one with a price is the first route. */
export function convertModelList(list: YamlNode | undefined, settings: Settings, unsupported: Unsupported[]): ConvertedList {
  let skipped = 0;
  const found = new Map<string, Candidate[]>();
  if (list && !list.items) unsupported.push(asUnsupported(list, "it is not a list of models"));
  const deployments = list?.items ?? [];
  const names = new Set(deployments.map(nameIn));
  const forEverybody = deployments.filter((each) => teamIn(each) === undefined);
  const taken: TakenNames = {
    ofEverybody: new Set(forEverybody.map(nameIn)),
    wildcards: forEverybody.filter((each) => isConvertedWildcard(each, settings)).map((each) => nameIn(each)!),
  };
  for (const at of deployments) {
    try {
      const remarks: Unsupported[] = [];
      const id = idOf(at, names, remarks);
      const others = found.get(id) ?? [];
      rejectTaken(at, taken, others);
      const deployment = convertDeployment(id, at, settings, remarks);
      rejectOtherKind(deployment, others);
      rejectDuplicate(deployment, others);
      unsupported.push(...remarks);
      found.set(id, [...others, { deployment, at }]);
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      unsupported.push(asUnsupported(at, error.message));
      skipped++;
    }
  }
  return { models: new Map([...found].map(([id, candidates]) => [id, toConverted(id, candidates, unsupported)])), skipped };
}

/** The name by which callers know it. The `model_name` of a team's model may be one that LiteLLM has made up. */
function nameIn(deployment: YamlNode): string | undefined {
  return nameNodeIn(deployment)?.text;
}

function nameNodeIn({ fields }: YamlNode): YamlNode | undefined {
  const info = fields?.get("model_info")?.fields;
  const name = fields?.get("model_name");
  return name && info?.has("team_id") ? (info.get("team_public_model_name") ?? name) : name;
}

function teamIn(deployment: YamlNode): YamlNode | undefined {
  return deployment.fields?.get("model_info")?.fields?.get("team_id");
}

/** Names that a model of a team cannot have. */
interface TakenNames {
  readonly ofEverybody: ReadonlySet<string | undefined>;
  /** Converted wildcards for everybody. */
  readonly wildcards: readonly string[];
}

function isConvertedWildcard(at: YamlNode, settings: Settings): boolean {
  const name = nameIn(at);
  if (name === undefined || !isWildcard(name)) return false;
  try {
    convertDeployment(checkedName(name), at, settings, []);
    return true;
  } catch (error) {
    if (!(error instanceof UnsupportedError)) throw error;
    return false;
  }
}

/**
 * In LiteLLM, models of several teams and of everybody may have the same name. Here a model of a team would take it from everybody, even if
 * a wildcard stands for it.
 */
function rejectTaken(at: YamlNode, { ofEverybody, wildcards }: TakenNames, others: readonly Candidate[]): void {
  const team = teamIn(at)?.text;
  const name = nameIn(at);
  if (team !== undefined && ofEverybody.has(name))
    throw new UnsupportedError(
      `only the team ${quoted(team)} may call it, and a model for everybody has the same name: declare it by hand with another ID`,
    );
  const wildcard = wildcards.find((each) => isCovered([each], name ?? ""));
  if (team !== undefined && wildcard !== undefined)
    throw new UnsupportedError(
      `only the team ${quoted(team)} may call it, and everybody may call ${quoted(wildcard)}: declare it by hand with another ID`,
    );
  if (others[0] && teamIn(others[0].at)?.text !== team)
    throw new UnsupportedError("a model of another team has the same name: declare it by hand with another ID");
}

/** The name, with hyphens for its spaces if no other model has that name. */
function idOf(deployment: YamlNode, names: ReadonlySet<string | undefined>, remarks: Unsupported[]): string {
  const name = nameIn(deployment);
  if (name === undefined || withoutSpaces(name) === name) return checkedName(name);
  const id = checkedName(withoutSpaces(name));
  if (names.has(id)) throw new UnsupportedError(`a model ID has no spaces, and ${quoted(id)} is another model`);
  remarks.push(
    asUnsupported(nameNodeIn(deployment)!, `converted to ${quoted(id)}: a model ID has no spaces. Change the name in the clients`),
  );
  return id;
}

function rejectOtherKind({ kind }: Deployment, [first]: readonly Candidate[]): void {
  if (first && first.deployment.kind !== kind)
    throw new UnsupportedError(
      `it is for ${kind}, and ${first.at.field} of the same name for ${first.deployment.kind}: declare it by hand with another ID`,
    );
}

function rejectDuplicate(deployment: Deployment, others: readonly Candidate[]): void {
  const same = others.find((other) => isSameRoute(other.deployment, deployment));
  if (same) throw new UnsupportedError(`it duplicates ${same.at.field}, which is converted`);
  if (others.length === MAX_ROUTES) throw new UnsupportedError(`a model has ${MAX_ROUTES} routes at most`);
}

function isSameRoute(one: Deployment, other: Deployment): boolean {
  const isSameModel = one.endpoint.model === other.endpoint.model && Bun.deepEquals(one.defaults, other.defaults);
  return isSameModel && identityOf(one) === identityOf(other);
}

function toConverted(id: string, candidates: readonly Candidate[], unsupported: Unsupported[]): ConvertedModel {
  const first = priceSetter(candidates);
  const others = candidates.filter((each) => each !== first);
  if (!first.deployment.isPriced) {
    unsupported.push(
      asUnsupported(first.deployment.node, "converted without a price: requests are rejected until it has one, or free: true"),
    );
  }
  for (const { deployment } of others) {
    if (termsOf(deployment) === termsOf(first.deployment)) continue;
    const why = `converted to a route of ${quoted(id)}. A model has one price and one set of limits, which come from ${first.at.field}`;
    unsupported.push(asUnsupported(deployment.node, why));
  }
  unsupported.push(...differentVectors(first, others));
  const deployments = [first, ...others].map(({ deployment }) => deployment);
  const drops = commonDrops(
    deployments.map((each) => each.drops),
    unsupported,
  );
  return { id, deployments, drops };
}

/** The routes of an embedding model with another upstream model. At Azure, it may be the same model by another name. */
function differentVectors({ deployment: first, at }: Candidate, others: readonly Candidate[]): Unsupported[] {
  if (first.kind !== "embedding") return [];
  const different = others.filter(({ deployment }) => deployment.endpoint.model !== first.endpoint.model);
  const why = `converted to a route of ${quoted(first.id)}: if it is not the same model as ${at.field}, remove it, because vectors of different models cannot be compared`;
  return different.map(({ deployment }) => asUnsupported(deployment.node, why));
}

/**
 * The deployment that sets the price: one with a price, else one that needs a price. A private server is free only as long as no route of the
 * model costs money: a paid route must not become free because of a private one beside it.
 */
function priceSetter(candidates: readonly Candidate[]): Candidate {
  const others = candidates.filter(({ deployment }) => !isAssumedFree(deployment));
  return others.find(({ deployment }) => deployment.isPriced) ?? others[0] ?? candidates[0]!;
}

function isAssumedFree({ pricing }: Deployment): boolean {
  return pricing.free === true && pricing.note !== undefined;
}

/** Equal for deployments with the same price and limits. */
function termsOf({ kind, pricing, limits, endpoint }: Deployment): string {
  const { note: _note, ...price } = pricing;
  const published =
    Object.keys(price).length > 0 ? [] : findDefaultPrices(endpoint.sample, endpoint.model, kind).map(({ version }) => version);
  return JSON.stringify([price, published, limits]);
}

/** An alias becomes another model with the same routes. */
export function convertAliases(
  aliases: YamlNode | undefined,
  converted: ReadonlyMap<string, ConvertedModel>,
  unsupported: Unsupported[],
): ConvertedModel[] {
  return [...(aliases?.fields?.values() ?? [])].flatMap((alias) => {
    try {
      const id = checkedName(alias.name);
      const target = converted.get(withoutSpaces(alias.text ?? alias.fields?.get("model")?.text ?? ""));
      if (converted.has(id)) throw new UnsupportedError(`${quoted(id)} is already a model`);
      if (!target || isWildcard(id) || isWildcard(target.id)) throw new UnsupportedError("its model was not converted");
      if (isTrue(alias.fields?.get("hidden"))) unsupported.push(asUnsupported(alias, "converted, but not hidden: it is in the model list"));
      return [{ ...target, id }];
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      unsupported.push(asUnsupported(alias, error.message));
      return [];
    }
  });
}
