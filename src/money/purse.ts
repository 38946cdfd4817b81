import type { Spender } from "./tally.ts";

/** A balance that gateway processes lease from: an account (its credit, within its spend caps), or a key with spend caps. */
export interface Purse {
  readonly scope: Spender;
  readonly id: string;
}

/** A purse as a key of maps. */
export type PurseKey = `${Spender}:${string}`;

export function purseKey({ scope, id }: Purse): PurseKey {
  return `${scope}:${id}`;
}
