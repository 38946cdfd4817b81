import { findDefaultPrices } from "../../../models/prices/find-default-prices.ts";
import { MAX_ROUTES } from "../../../models/declared-route.ts";
import { checkedName, convertDeployment, identityOf, type Deployment } from "./convert-deployment.ts";
import type { Settings } from "./convert-settings.ts";
import { UnsupportedError, asUnsupported, quoted, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml-node.ts";

/** A model of ours, and the deployments that its routes lead to. The first decides about its price and its limits. */
export interface ConvertedModel {
  readonly id: string;
  readonly deployments: readonly Deployment[];
}

interface Candidate {
  readonly deployment: Deployment;
  readonly at: YamlNode;
}

/** Every deployment that can be served, under its name. Of several, the first that has a price is the first route. */
export function convertModelList(list: YamlNode | undefined, settings: Settings, unsupported: Unsupported[]): Map<string, ConvertedModel> {
  const found = new Map<string, Candidate[]>();
  if (list && !list.items) unsupported.push(asUnsupported(list, "it is not a list of models"));
  for (const at of list?.items ?? []) {
    try {
      const id = checkedName(at.fields?.get("model_name")?.text);
      const others = found.get(id) ?? [];
      const words: Unsupported[] = [];
      const deployment = convertDeployment(id, at, settings, words);
      refuseRepeated(deployment, others);
      unsupported.push(...words);
      found.set(id, [...others, { deployment, at }]);
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      unsupported.push(asUnsupported(at, error.message));
    }
  }
  return new Map([...found].map(([id, candidates]) => [id, toConverted(id, candidates, unsupported)]));
}

function refuseRepeated(deployment: Deployment, others: readonly Candidate[]): void {
  const same = others.find((other) => isSameRoute(other.deployment, deployment));
  if (same) throw new UnsupportedError(`it is served as ${same.at.field} is, which is carried`);
  if (others.length === MAX_ROUTES) throw new UnsupportedError(`a model has ${MAX_ROUTES} routes at most`);
}

function isSameRoute(one: Deployment, other: Deployment): boolean {
  return one.endpoint.model === other.endpoint.model && identityOf(one) === identityOf(other);
}

function toConverted(id: string, candidates: readonly Candidate[], unsupported: Unsupported[]): ConvertedModel {
  const first = candidates.find(({ deployment }) => deployment.isPriced) ?? candidates[0]!;
  const others = candidates.filter((each) => each !== first);
  if (!first.deployment.isPriced) {
    unsupported.push(asUnsupported(first.deployment.node, "carried without a price: it is refused until it has one, or free: true"));
  }
  for (const { deployment } of others) {
    if (termsOf(deployment) === termsOf(first.deployment)) continue;
    const why = `carried as a route of ${quoted(id)}, at the price and with the limits of ${first.at.field}: a model has them once`;
    unsupported.push(asUnsupported(deployment.node, why));
  }
  return { id, deployments: [first, ...others].map(({ deployment }) => deployment) };
}

/** What tells whether two deployments cost the same and may say as much. */
function termsOf({ pricing, limits, endpoint }: Deployment): string {
  const { note: _note, ...price } = pricing;
  const published = Object.keys(price).length > 0 ? [] : findDefaultPrices(endpoint.sample, endpoint.model).map(({ version }) => version);
  return JSON.stringify([price, published, limits]);
}

/** Another name for a model is another model here, with the same routes. */
export function convertAliases(
  aliases: YamlNode | undefined,
  carried: ReadonlyMap<string, ConvertedModel>,
  unsupported: Unsupported[],
): ConvertedModel[] {
  return [...(aliases?.fields?.values() ?? [])].flatMap((alias) => {
    try {
      const id = checkedName(alias.name);
      const target = carried.get(alias.text ?? alias.fields?.get("model")?.text ?? "");
      if (carried.has(id)) throw new UnsupportedError(`${quoted(id)} is a model of its own already`);
      if (!target) throw new UnsupportedError("the model it stands for was not carried");
      const isHidden = /^true$/i.test(alias.fields?.get("hidden")?.text ?? "");
      if (isHidden) unsupported.push(asUnsupported(alias, "carried, but not hidden: it is in the list of models"));
      return [{ ...target, id }];
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      unsupported.push(asUnsupported(alias, error.message));
      return [];
    }
  });
}
