import type { DeclaredRoute } from "../../vocabulary/declared-route.ts";
import type { Fields } from "./fields.ts";
import { notCarried, type NotCarried } from "./not-carried.ts";
import type { Placed } from "./placed.ts";

/** What LiteLLM chooses among the deployments of one name by. */
export interface Rank {
  /** The lowest goes first. */
  readonly order: number | undefined;
  readonly weight: number | undefined;
  /** Where none has a weight, it shares out calls by these. */
  readonly requestsPerMinute: number | undefined;
  readonly tokensPerMinute: number | undefined;
}

export function readRank(params: Fields, lost: NotCarried[]): Rank {
  return {
    order: readNumber(params.take("order"), lost),
    weight: readNumber(params.take("weight"), lost),
    // They are limits too, and as such not carried: so they are not taken.
    requestsPerMinute: params.peek("rpm")?.number,
    tokensPerMinute: params.peek("tpm")?.number,
  };
}

function readNumber(node: Placed | undefined, lost: NotCarried[]): number | undefined {
  if (node && node.number === undefined) lost.push(notCarried(node, "it must be a number"));
  return node?.number;
}

type Ranked = Pick<DeclaredRoute, "priority" | "weight">;

/** What our routes say of the same. */
export function rankRoutes(ranks: readonly Rank[]): Ranked[] {
  const priorities = prioritiesOf(ranks.map(({ order }) => order));
  const weights = weightsOf(ranks);
  return ranks.map((_, at) => ({
    ...(priorities[at] !== 1 && { priority: priorities[at]! }),
    ...(weights[at] !== 1 && { weight: weights[at]! }),
  }));
}

/** By rising order. What has none comes after what has. */
function prioritiesOf(orders: readonly (number | undefined)[]): number[] {
  const rising = [...new Set(orders.filter((order) => order !== undefined))].toSorted((one, other) => one - other);
  return orders.map((order) => (order === undefined ? rising.length : rising.indexOf(order)) + 1);
}

const MAX_WEIGHT = 1000;

/** In whole numbers, as small as they can be. What has none gets the least. */
function weightsOf(ranks: readonly Rank[]): number[] {
  const kinds = (["weight", "requestsPerMinute", "tokensPerMinute"] as const).map((kind) => ranks.map((rank) => rank[kind] ?? 0));
  const shares = kinds.find((each) => each.some((share) => share > 0));
  if (!shares) return ranks.map(() => 1);
  const [least, most] = [Math.min(...shares.filter((share) => share > 0)), Math.max(...shares)];
  const scales = [1, 1 / least].map((scale) => shares.map((share) => share * scale));
  const fitting = scales.find((scaled) => scaled.every((share) => share <= MAX_WEIGHT && Number.isInteger(share)));
  const whole = (fitting ?? shares.map((share) => Math.round((share / most) * MAX_WEIGHT))).map((share) => Math.max(1, share));
  const common = whole.reduce(greatestCommonDivisor);
  return whole.map((weight) => weight / common);
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
