import type { Nanos } from "../../../money/money.ts";
import { type Purse, purseKey, type PurseKey } from "../../../money/purse.ts";
import type { Lease } from "./purse-state.ts";

/** The leases of all processes, with the sum of each purse. */
export class LeaseTable {
  readonly #byInstance = new Map<string, Map<PurseKey, Lease>>();
  readonly #sums = new Map<PurseKey, Nanos>();

  of(instanceId: string, purse: Purse): Nanos {
    return this.#byInstance.get(instanceId)?.get(purseKey(purse))?.nanos ?? 0n;
  }

  /** The leases of all processes on a purse. */
  sumOf(purse: Purse): Nanos {
    return this.#sums.get(purseKey(purse)) ?? 0n;
  }

  set(instanceId: string, purse: Purse, nanos: Nanos): void {
    const key = purseKey(purse);
    const sum = this.sumOf(purse) + nanos - this.of(instanceId, purse);
    if (sum === 0n) this.#sums.delete(key);
    else this.#sums.set(key, sum);
    let own = this.#byInstance.get(instanceId);
    if (!own) this.#byInstance.set(instanceId, (own = new Map()));
    if (nanos === 0n) own.delete(key);
    else own.set(key, { purse, nanos });
  }

  /** The leases of a process. */
  ofInstance(instanceId: string): readonly Lease[] {
    return [...(this.#byInstance.get(instanceId)?.values() ?? [])];
  }

  /** The purses that are leased. */
  purses(): readonly Purse[] {
    return [...this.#byInstance.values()].flatMap((own) => [...own.values()].map(({ purse }) => purse));
  }

  /** The processes with a lease on a purse. */
  holdersOf(purse: Purse): readonly string[] {
    const key = purseKey(purse);
    return [...this.#byInstance].filter(([, own]) => own.has(key)).map(([instanceId]) => instanceId);
  }
}
