import type { Nanos } from "../../../money/money.ts";
import { isOfBreakdown } from "../../../money/breakdown.ts";
import { type Purse, purseKey, type PurseKey } from "../../../money/purse.ts";
import type { PurseState } from "./purse-state.ts";

/** A process's part of a purse: the lease, minus the charges made since, and the amount that its requests in flight hold. */
export interface Slice {
  readonly purse: Purse;
  leaseNanos: Nanos;
  heldNanos: Nanos;
  /** The authority's figures, from its last reply about this purse. */
  state: PurseState | undefined;
  /** Charges that the authority's figures do not include. */
  chargedNanos: Nanos;
  /** The number of calls of `returnUnused` since the last hold. */
  unused: number;
}

/** A key, an end user or a tag without spend caps has no lease: nothing limits how much requests hold of it. */
export function isLeased({ purse, state }: Slice): boolean {
  return purse.scope === "account" || state !== undefined;
}

/** Lowers the lease at once: the authority will lower credit and lease by the same amount. */
export function charge(slice: Slice, nanos: Nanos): void {
  slice.leaseNanos = slice.leaseNanos > nanos ? slice.leaseNanos - nanos : 0n;
  slice.chargedNanos += nanos;
}

/** Above this number of slices of end users and tags, idle ones are returned at once. */
const MANY = 10_000;

/** The slices of a process. Slices of end users and tags are forgotten when they are idle: their number is not limited. */
export class SliceMap {
  readonly #slices = new Map<PurseKey, Slice>();
  /** The number of slices of end users and tags. */
  #ofBreakdowns = 0;
  #sweepAbove = MANY;

  get(purse: Purse): Slice | undefined {
    return this.#slices.get(purseKey(purse));
  }

  of(purse: Purse): Slice {
    const key = purseKey(purse);
    let slice = this.#slices.get(key);
    if (!slice) {
      if (isOfBreakdown(purse)) this.#noteNew();
      this.#slices.set(key, (slice = { purse, leaseNanos: 0n, heldNanos: 0n, state: undefined, chargedNanos: 0n, unused: 0 }));
    }
    return slice;
  }

  values(): Iterable<Slice> {
    return this.#slices.values();
  }

  /** Whether there are many slices of end users and tags. */
  get isCrowded(): boolean {
    return this.#ofBreakdowns > MANY;
  }

  /**
   * Forgets the slices of end users and tags without a lease or a hold. The authority is asked for their figures again when they are
   * needed.
   */
  forgetIdle(): void {
    for (const [key, { purse, leaseNanos, heldNanos }] of this.#slices) {
      if (leaseNanos > 0n || heldNanos > 0n || !isOfBreakdown(purse)) continue;
      this.#slices.delete(key);
      this.#ofBreakdowns--;
    }
    this.#sweepAbove = Math.max(MANY, 2 * this.#ofBreakdowns);
  }

  #noteNew(): void {
    if (this.#ofBreakdowns >= this.#sweepAbove) this.forgetIdle();
    this.#ofBreakdowns++;
  }
}
