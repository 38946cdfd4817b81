import type { Nanos } from "../../../money/money.ts";
import { dayAt, monthAt, startOfPeriod, type Period } from "../../../money/period-sums.ts";
import type { EarlierSums, Spender } from "../../../money/tally.ts";

/** A charge of one key, or the sum of several. */
export interface Charge {
  readonly accountId: string;
  readonly keyId: string;
  readonly amountNanos: Nanos;
}

/** Reads all charges from one time to before another. A full scan of the entries, because their times have no index. */
export type ReadCharges = (fromMs: number, toMs: number) => Iterable<Charge>;

/** More periods than a wall clock visits that is set back and forth. */
const MAX_PERIODS = 8;

type Sums = Readonly<Record<Spender, Map<string, Nanos>>>;

/**
 * Spending in days and months before the latest ones, which the tallies do not include. Needed when the wall clock is set back: charges
 * count for their period whenever the clock is in it, otherwise setting the clock back would reset a spend cap. A period is summed for all
 * accounts and keys on first use, and updated with later charges.
 */
export class PastPeriodSpending implements EarlierSums {
  readonly #readCharges: ReadCharges;
  readonly #periods = new Map<string, Sums>();

  constructor(readCharges: ReadCharges) {
    this.#readCharges = readCharges;
  }

  of(period: Period, number: number, { scope, id }: { readonly scope: Spender; readonly id: string }): Nanos {
    const sums = this.#periods.get(nameOf(period, number)) ?? this.#addUp(period, number);
    return sums[scope].get(id) ?? 0n;
  }

  /** On the path of requests: nearly always there is no such period. */
  add(charge: Charge, atMs: number): void {
    if (this.#periods.size === 0) return;
    for (const name of [nameOf("day", dayAt(atMs)), nameOf("month", monthAt(atMs))]) {
      const sums = this.#periods.get(name);
      if (sums) addTo(sums, charge);
    }
  }

  #addUp(period: Period, number: number): Sums {
    const sums: Sums = { account: new Map(), key: new Map() };
    for (const charge of this.#readCharges(startOfPeriod(period, number), startOfPeriod(period, number + 1))) addTo(sums, charge);
    const [oldest] = this.#periods.keys();
    if (this.#periods.size >= MAX_PERIODS) this.#periods.delete(oldest!);
    this.#periods.set(nameOf(period, number), sums);
    return sums;
  }
}

function nameOf(period: Period, number: number): string {
  return `${period} ${number}`;
}

function addTo({ account, key }: Sums, { accountId, keyId, amountNanos }: Charge): void {
  account.set(accountId, (account.get(accountId) ?? 0n) + amountNanos);
  key.set(keyId, (key.get(keyId) ?? 0n) + amountNanos);
}
