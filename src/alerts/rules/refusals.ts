import type { Nanos } from "../../money/money.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import type { SpendLimit } from "../../money/headroom.ts";
import type { Spender } from "../../money/tally.ts";

/**
 * The limits (credit or spend caps) of an account or a key that were too low for a request, with the remaining amount at the last such
 * request.
 */
export type RefusedAmounts = ReadonlyMap<SpendLimit["what"], Nanos>;

export const NOTHING_REFUSED: RefusedAmounts = new Map();

/** A key or an account, with the limits that rejected its requests. */
export interface RefusedSpender {
  readonly scope: Spender;
  readonly id: string;
  readonly refused: RefusedAmounts;
}

/**
 * Collects requests that were rejected because of credit or spend caps since the last check. There is one record per key and account,
 * however many requests there are.
 */
export class Refusals {
  #spenders = new Map<string, RefusedSpender & { readonly refused: Map<SpendLimit["what"], Nanos> }>();

  /** Records a shortfall, if there is one; runs on the hot path. The spend cap of an end user or a tag never raises an alert. */
  note({ notes: { shortfall, keyId, accountId } }: EndedRequest): void {
    if (!shortfall) return;
    const { scope, what, leftNanos } = shortfall;
    if (scope === "key" || scope === "account") this.#add(scope, scope === "key" ? keyId! : accountId!, what, leftNanos);
  }

  /** Returns the records since the last call. */
  take(): readonly RefusedSpender[] {
    const taken = [...this.#spenders.values()];
    this.#spenders = new Map();
    return taken;
  }

  /** Adds the records of another process. */
  add({ scope, id, refused }: RefusedSpender): void {
    for (const [what, leftNanos] of refused) this.#add(scope, id, what, leftNanos);
  }

  #add(scope: Spender, id: string, what: SpendLimit["what"], leftNanos: Nanos): void {
    const name = `${scope} ${id}`;
    let spender = this.#spenders.get(name);
    if (!spender) this.#spenders.set(name, (spender = { scope, id, refused: new Map() }));
    spender.refused.set(what, leftNanos);
  }
}
