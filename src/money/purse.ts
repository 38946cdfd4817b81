import type { Spender } from "./tally.ts";

/**
 * The owner of a purse: an account, a key, an end user or a value of a tag. End users and tag values belong to an account or to a key:
 * `breakdown.ts`.
 */
export type PurseScope = Spender | "user" | "tag";

/**
 * A balance that gateway processes lease from: an account (its credit, within its spend caps), a key with spend caps, or an end user or a
 * tag value with spend caps.
 */
export interface Purse {
  readonly scope: PurseScope;
  readonly id: string;
}

/** The key of a purse in maps. */
export type PurseKey = `${PurseScope}:${string}`;

export function purseKey({ scope, id }: Purse): PurseKey {
  return `${scope}:${id}`;
}
