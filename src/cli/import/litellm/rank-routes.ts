import type { DeclaredRoute } from "../../../models/declared-route.ts";
import type { Fields } from "./yaml/fields.ts";
import { asUnsupported, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

/** LiteLLM's settings for load balancing among the deployments of one name. */
export interface Rank {
  /** The lowest goes first. */
  readonly order: number | undefined;
  readonly weight: number | undefined;
  /** Used for load balancing if no deployment has a weight. */
  readonly requestsPerMinute: number | undefined;
  readonly tokensPerMinute: number | undefined;
  /** The node at which its weight, or the missing weight, is reported. */
  readonly node: YamlNode;
}

/** `isByWeight`: every routing strategy of LiteLLM except simple-shuffle ignores weights. */
export function readRank(params: Fields, isByWeight: boolean, node: YamlNode, unsupported: Unsupported[]): Rank {
  const order = readNumber(params.take("order"), unsupported);
  const weight = params.take("weight");
  if (!isByWeight) {
    if (weight) unsupported.push(asUnsupported(weight, "not converted: LiteLLM ignores it with this routing_strategy"));
    return { order, weight: undefined, requestsPerMinute: undefined, tokensPerMinute: undefined, node };
  }
  // Only peek here: rates are also limits, and the code for limits takes these fields.
  const [requestsPerMinute, tokensPerMinute] = [params.peek("rpm")?.number, params.peek("tpm")?.number];
  return { order, weight: readNumber(weight, unsupported), requestsPerMinute, tokensPerMinute, node: weight ?? node };
}

function readNumber(node: YamlNode | undefined, unsupported: Unsupported[]): number | undefined {
  if (node && node.number === undefined) unsupported.push(asUnsupported(node, "it must be a number"));
  return node?.number;
}

type RankedRoute = Pick<DeclaredRoute, "priority" | "weight">;

/** The priorities and weights of the routes. */
export function rankRoutes(ranks: readonly Rank[], unsupported: Unsupported[]): RankedRoute[] {
  const priorities = prioritiesOf(ranks.map(({ order }) => order));
  const groups = [...new Set(priorities)].map((priority) => ranks.filter((_, at) => priorities[at] === priority));
  const weights = new Map(groups.flatMap((group) => weightsOf(group, unsupported).map((weight, at) => [group[at]!, weight])));
  return ranks.map((rank, at) => ({
    ...(priorities[at] !== 1 && { priority: priorities[at]! }),
    ...(weights.get(rank) !== 1 && { weight: weights.get(rank)! }),
  }));
}

/** In ascending order; deployments without an order come last. */
function prioritiesOf(orders: readonly (number | undefined)[]): number[] {
  const rising = [...new Set(orders.filter((order) => order !== undefined))].toSorted((one, other) => one - other);
  return orders.map((order) => (order === undefined ? rising.length : rising.indexOf(order)) + 1);
}

const MAX_WEIGHT = 1000;

/** LiteLLM balances the deployments with the same order by the first of these settings that is above 0 in at least one of them. */
const SHARES = ["weight", "requestsPerMinute", "tokensPerMinute"] as const;

const NAMES = { weight: "weight", requestsPerMinute: "rpm", tokensPerMinute: "tpm" } as const;

/**
 * Reduced to the smallest whole numbers. 0 means no traffic, as in LiteLLM. A deployment without the setting also gets no traffic if others
 * have it.
 */
function weightsOf(ranks: readonly Rank[], unsupported: Unsupported[]): number[] {
  const kind = SHARES.find((each) => ranks.some((rank) => (rank[each] ?? 0) > 0));
  if (!kind) {
    const why = "not converted: LiteLLM balances evenly where every weight is 0";
    unsupported.push(...ranks.filter(({ weight }) => weight !== undefined).map(({ node }) => asUnsupported(node, why)));
    return ranks.map(() => 1);
  }
  const why = `converted with weight: 0, no traffic, as in LiteLLM: other deployments of its name have ${NAMES[kind]}, and it has none`;
  unsupported.push(...ranks.filter((rank) => rank[kind] === undefined).map(({ node }) => asUnsupported(node, why)));
  const whole = inWholeNumbers(ranks.map((rank) => Math.max(0, rank[kind] ?? 0)));
  const weights = ranks.map((rank, at) => ((rank[kind] ?? 0) > 0 ? Math.max(1, whole[at]!) : 0));
  const common = weights.reduce(greatestCommonDivisor);
  return weights.map((weight) => weight / common);
}

function inWholeNumbers(shares: readonly number[]): number[] {
  const [least, most] = [Math.min(...shares.filter((share) => share > 0)), Math.max(...shares)];
  const scales = [1, 1 / least].map((scale) => shares.map((share) => share * scale));
  const fitting = scales.find((scaled) => scaled.every((share) => share <= MAX_WEIGHT && Number.isInteger(share)));
  return fitting ?? shares.map((share) => Math.round((share / most) * MAX_WEIGHT));
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
