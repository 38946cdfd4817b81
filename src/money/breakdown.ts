import { NO_NAME, type Attribution, type CountedBy, type Dimension } from "./attribution.ts";
import type { PurseTerms } from "./credit-line.ts";
import { NO_CAPS, type Parts } from "./limits.ts";
import type { Purse } from "./purse.ts";
import type { Spender } from "./tally.ts";

/** The end users of an account or a key, or the values of a tag there. Each of them has its own purse. */
export interface Breakdown {
  readonly owner: Spender;
  readonly ownerId: string;
  readonly by: Dimension;
}

/** The owner of a charge or hold. */
interface ChargeOwner {
  readonly accountId: string;
  readonly keyId: string;
  readonly attribution?: Attribution | undefined;
}

const NO_PURSES: readonly Purse[] = [];

/** The purses of end users and tags that a hold counts against, according to the spend caps when it was admitted. */
export function countedPurses(entry: ChargeOwner): readonly Purse[] {
  const counts = entry.attribution?.counts;
  return counts === undefined ? NO_PURSES : counts.map((counted) => purseOf(breakdownOf(counted, entry), entry.attribution));
}

/** The purse of a request's end user or tag value. */
export function purseOf({ owner, ownerId, by }: Breakdown, attribution: Attribution | undefined): Purse {
  if (by === "user") return { scope: "user", id: `${owner}:${ownerId}:${attribution?.user ?? NO_NAME}` };
  const name = by.slice(TAG.length);
  const tags = attribution?.tags;
  const value = tags && Object.hasOwn(tags, name) ? tags[name]! : NO_NAME;
  return { scope: "tag", id: `${owner}:${ownerId}:${name}=${value}` };
}

const TAG = "tag:";

function breakdownOf(counted: CountedBy, { accountId, keyId }: ChargeOwner): Breakdown {
  const at = counted.lastIndexOf("@");
  const owner = counted.slice(at + 1) as Spender;
  return { owner, ownerId: owner === "account" ? accountId : keyId, by: counted.slice(0, at) as Dimension };
}

/** Whether it is the purse of an end user or a tag. */
export function isOfBreakdown({ scope }: Purse): boolean {
  return scope === "user" || scope === "tag";
}

/**
 * Its name in messages: "this key", "this end user on this key", "the tag team=search on this account", "requests without the tag team on
 * this account". The name never contains another end user.
 */
export function describePurse(purse: Purse): string {
  if (!isOfBreakdown(purse)) return `this ${purse.scope}`;
  const { owner, ownerId, by } = breakdownIn(purse);
  const named = purse.id.slice(owner.length + ownerId.length + 2);
  return `${isUnnamed(purse) ? describeUnnamed(by) : by === "user" ? "this end user" : `the tag ${named}`} on this ${owner}`;
}

function describeUnnamed(by: Dimension): string {
  return by === "user" ? "requests without an end user" : `requests without the tag ${by.slice(TAG.length)}`;
}

/** Whether it is the purse of the requests without an end user, or without the tag. */
export function isUnnamed(purse: Purse): boolean {
  return isOfBreakdown(purse) && purse.id === purseOf(breakdownIn(purse), undefined).id;
}

/**
 * The breakdown to which the purse of an end user or a tag belongs. IDs of accounts and keys contain no colon, and names of tags no equals
 * sign.
 */
export function breakdownIn({ scope, id }: Purse): Breakdown {
  const [owner, ownerId] = id.split(":", 2) as [Spender, string];
  const name = scope === "tag" ? id.slice(owner.length + ownerId.length + 2, id.indexOf("=")) : "";
  return { owner, ownerId, by: scope === "tag" ? `tag:${name}` : "user" };
}

/** Whether it is the purse of an end user or a tag in this account or key. */
export function isOwnedBy(purse: Purse, owner: Purse): boolean {
  return isOfBreakdown(purse) && purse.id.startsWith(`${owner.scope}:${owner.id}:`);
}

/** The common prefix of the keys of all purses in a breakdown. */
export function breakdownKey({ owner, ownerId, by }: Breakdown): string {
  return by === "user" ? `user:${owner}:${ownerId}:` : `tag:${owner}:${ownerId}:${by.slice(TAG.length)}=`;
}

export function readBreakdownKey(key: string): Breakdown {
  const colon = key.indexOf(":");
  return breakdownIn({ scope: key.slice(0, colon) as Purse["scope"], id: key.slice(colon + 1) });
}

/** Whether limits or spend caps are set for end users or tags. */
export function hasParts({ perUser, perTag }: Parts<unknown>): boolean {
  return perUser !== undefined || perTag !== undefined;
}

/** The dimensions for which an account or a key has limits or spend caps, in addition to its own. */
export function dimensionsOf({ perUser, perTag }: Parts<unknown>): readonly Dimension[] {
  const tags = Object.keys(perTag ?? {}).map((name): Dimension => `tag:${name}`);
  return perUser ? ["user", ...tags] : tags;
}

/** The part of limits or spend caps for a dimension. */
export function partOf<Part>({ perUser, perTag }: Parts<Part>, by: Dimension): Part | undefined {
  if (by === "user") return perUser;
  const name = by.slice(TAG.length);
  return perTag && Object.hasOwn(perTag, name) ? perTag[name] : undefined;
}

/** The spend caps of a purse, and the credit line of an account, looked up in the terms of accounts and keys. */
export function capsOfPurse(purse: Purse, find: (owner: Spender, id: string) => PurseTerms | undefined): PurseTerms {
  const { scope, id } = purse;
  if (scope === "account" || scope === "key") return find(scope, id) ?? NO_CAPS;
  const { owner, ownerId, by } = breakdownIn(purse);
  return { ...NO_CAPS, ...partOf(find(owner, ownerId) ?? NO_CAPS, by) };
}
