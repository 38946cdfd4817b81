import type { Nanos } from "../../../money/money.ts";
import { dayAt, monthAt, startOfPeriod, type Period } from "../../../money/period-sums.ts";
import type { EarlierSums, Spender } from "../../../money/tally.ts";

/** Some charges of one key: of one, or of many in sum. */
export interface Charge {
  readonly accountId: string;
  readonly keyId: string;
  readonly amountNanos: Nanos;
}

/** All charges from one moment on and before another. It reads every entry there is, since their times stand in no index. */
export type ReadCharges = (fromMs: number, toMs: number) => Iterable<Charge>;

/** More than a clock that goes back and forth comes by. */
const MAX_PERIODS = 8;

type Sums = Readonly<Record<Spender, Map<string, Nanos>>>;

/**
 * What was spent in days and months that tallies have no sums of. They are needed when the clock is set back: what was charged in a
 * period counts for it whenever the clock is there, or setting the clock would empty a spend cap. Each is added up for all accounts and
 * keys at once, when it is first asked for, and kept up with charges from then on.
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

  /** On the path of requests: nearly always there is no period. */
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
