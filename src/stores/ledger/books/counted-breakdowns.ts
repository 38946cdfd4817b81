import type { Attribution, Dimension } from "../../../money/attribution.ts";
import { breakdownIn, breakdownKey, isOfBreakdown, purseOf, type Breakdown } from "../../../money/breakdown.ts";
import { hasCaps } from "../../../money/headroom.ts";
import { NO_CAPS, type Caps } from "../../../money/limits.ts";
import type { Purse } from "../../../money/purse.ts";
import type { Spender } from "../../../money/tally.ts";
import type { CapsOf } from "../leases/purse-state.ts";

/** A charge of a request. */
interface RequestCharge {
  readonly accountId: string;
  readonly keyId: string;
  readonly attribution?: Attribution | undefined;
}

type OwnerKey = `${Spender}:${string}`;

const NO_PURSES: readonly Purse[] = [];

/**
 * The breakdowns whose charges are counted, beginning with their first use under a spend cap. From then on every charge of their account or
 * key counts, even if the request was admitted before the cap was set.
 */
export class CountedBreakdowns {
  readonly #byOwner = new Map<OwnerKey, Breakdown[]>();

  get isEmpty(): boolean {
    return this.#byOwner.size === 0;
  }

  add(breakdown: Breakdown): void {
    const key: OwnerKey = `${breakdown.owner}:${breakdown.ownerId}`;
    const known = this.#byOwner.get(key);
    if (!known) this.#byOwner.set(key, [breakdown]);
    else if (!known.some(({ by }) => by === breakdown.by)) known.push(breakdown);
  }

  delete({ owner, ownerId, by }: Breakdown): void {
    const key: OwnerKey = `${owner}:${ownerId}`;
    const others = (this.#byOwner.get(key) ?? []).filter((known) => known.by !== by);
    if (others.length > 0) this.#byOwner.set(key, others);
    else this.#byOwner.delete(key);
  }

  /** Whether the purse of an end user or a tag is counted. */
  has(purse: Purse): boolean {
    const { owner, ownerId, by } = breakdownIn(purse);
    return this.#has(owner, ownerId, by);
  }

  #has(owner: Spender, ownerId: string, by: Dimension): boolean {
    return this.#byOwner.get(`${owner}:${ownerId}`)?.some((known) => known.by === by) === true;
  }

  /** The purses of a charge that are counted. On the path of every charge: nearly always there is no such purse. */
  pursesOf(charge: RequestCharge): readonly Purse[] {
    if (this.isEmpty) return NO_PURSES;
    const ofAccount = this.#byOwner.get(`account:${charge.accountId}`);
    const ofKey = this.#byOwner.get(`key:${charge.keyId}`);
    if (!ofAccount && !ofKey) return NO_PURSES;
    return [...(ofAccount ?? []), ...(ofKey ?? [])].map((breakdown) => purseOf(breakdown, charge.attribution));
  }

  /** All counted breakdowns, ordered by key. */
  all(): readonly Breakdown[] {
    const all = [...this.#byOwner.values()].flat();
    return all.toSorted((a, b) => (breakdownKey(a) < breakdownKey(b) ? -1 : 1));
  }
}

const NOTHING: Caps = { ...NO_CAPS, dayNanos: 0n };

/** Returns `capsOf` for leases, in which an end user or a tag with spend caps gets nothing while its spending is not known. */
export function capsOfCounted(capsOf: CapsOf, counted: CountedBreakdowns): CapsOf {
  return (purse) => {
    const caps = capsOf(purse);
    return isOfBreakdown(purse) && hasCaps(caps) && !counted.has(purse) ? NOTHING : caps;
  };
}
