import type { AttributionDimension } from "../../../money/attribution.ts";
import type { Owners } from "./rollup-rows.ts";

/** The owner of the series of a dimension of an account. The names of tags contain no slash. */
export function ownerOf(dimension: AttributionDimension, accountId: string): string {
  return `${dimension}/${accountId}`;
}

export function accountOfOwner(owner: string): string {
  return owner.slice(owner.indexOf("/") + 1);
}

/** The range of owners of a dimension: of one account, or of all. */
export function ownersOf(dimension: AttributionDimension, accountId: string | undefined): Owners {
  // "0" is the character after the slash.
  return accountId === undefined ? { after: `${dimension}/`, before: `${dimension}0` } : { one: ownerOf(dimension, accountId) };
}
