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
}

export function readRank(params: Fields, unsupported: Unsupported[]): Rank {
  return {
    order: readNumber(params.take("order"), unsupported),
    weight: readNumber(params.take("weight"), unsupported),
    // They are also limits, which are unsupported, so they are not taken.
    requestsPerMinute: params.peek("rpm")?.number,
    tokensPerMinute: params.peek("tpm")?.number,
  };
}

function readNumber(node: YamlNode | undefined, unsupported: Unsupported[]): number | undefined {
  if (node && node.number === undefined) unsupported.push(asUnsupported(node, "it must be a number"));
  return node?.number;
}

type Ranked = Pick<DeclaredRoute, "priority" | "weight">;

/** The priorities and weights of the routes. */
export function rankRoutes(ranks: readonly Rank[]): Ranked[] {
  const priorities = prioritiesOf(ranks.map(({ order }) => order));
  const weights = weightsOf(ranks);
  return ranks.map((_, at) => ({
    ...(priorities[at] !== 1 && { priority: priorities[at]! }),
    ...(weights[at] !== 1 && { weight: weights[at]! }),
  }));
}

/** In ascending order; deployments without an order come last. */
function prioritiesOf(orders: readonly (number | undefined)[]): number[] {
  const rising = [...new Set(orders.filter((order) => order !== undefined))].toSorted((one, other) => one - other);
  return orders.map((order) => (order === undefined ? rising.length : rising.indexOf(order)) + 1);
}

const MAX_WEIGHT = 1000;

/** LiteLLM balances by the first of these that is set. */
const SHARES = ["weight", "requestsPerMinute", "tokensPerMinute"] as const;

/** Reduced to the smallest whole numbers. A deployment without a share gets the smallest one; 0 means no traffic, as in LiteLLM. */
function weightsOf(ranks: readonly Rank[]): number[] {
  const kind = SHARES.find((each) => ranks.some((rank) => rank[each] !== undefined));
  if (!kind) return ranks.map(() => 1);
  const whole = inWholeNumbers(ranks.map((rank) => rank[kind] ?? 0));
  const weights = ranks.map((rank, at) => ((rank[kind] ?? 1) > 0 ? Math.max(1, whole[at]!) : 0));
  const common = weights.reduce(greatestCommonDivisor) || 1;
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
