import { RequestSums, toSummedEnd, type SummedEnd, type SummedRequest } from "./request-sums.ts";
import { ALL, QUARTER_MS, type Name } from "./sum-table.ts";

/** A sum, and what it is of. */
export interface NamedSums {
  readonly quarter: number;
  readonly account: Name;
  readonly model: Name;
  readonly sums: RequestSums;
}

/**
 * Sums that are in no file yet. A request is added to up to four: of all, of its account, of its model, and of the two together. So
 * whatever is asked for, it is one sum for each quarter hour, however many accounts and models there are.
 */
export class PendingSums {
  readonly #quarters = new Map<number, Map<Name, Map<Name, RequestSums>>>();
  #size = 0;
  #last = Number.NaN;

  /** How many sums there are. */
  get size(): number {
    return this.#size;
  }

  /** The quarter hour of the request that was added last. */
  get lastQuarter(): number {
    return this.#last;
  }

  add(request: SummedRequest): void {
    const { accountId, model } = request;
    const end = toSummedEnd(request);
    this.#last = quarterOf(request.endedAtMs);
    const accounts = this.#accountsIn(this.#last);
    this.#addTo(accounts, ALL, model, end);
    if (accountId !== null) this.#addTo(accounts, accountId, model, end);
  }

  find(quarter: number, account: Name, model: Name): RequestSums | undefined {
    return this.#quarters.get(quarter)?.get(account)?.get(model);
  }

  quarters(): Iterable<number> {
    return this.#quarters.keys();
  }

  *all(): Generator<NamedSums, void> {
    for (const [quarter, accounts] of this.#quarters) {
      for (const [account, models] of accounts) for (const [model, sums] of models) yield { quarter, account, model, sums };
    }
  }

  #accountsIn(quarter: number): Map<Name, Map<Name, RequestSums>> {
    let accounts = this.#quarters.get(quarter);
    if (!accounts) this.#quarters.set(quarter, (accounts = new Map()));
    return accounts;
  }

  #addTo(accounts: Map<Name, Map<Name, RequestSums>>, account: Name, model: string | null, end: SummedEnd): void {
    let models = accounts.get(account);
    if (!models) accounts.set(account, (models = new Map()));
    this.#sumsOf(models, ALL).add(end);
    if (model !== null) this.#sumsOf(models, model).add(end);
  }

  #sumsOf(models: Map<Name, RequestSums>, model: Name): RequestSums {
    let sums = models.get(model);
    if (sums) return sums;
    models.set(model, (sums = new RequestSums()));
    this.#size++;
    return sums;
  }
}

/** The number of the quarter hour that a moment is in. */
export function quarterOf(ms: number): number {
  return Math.floor(ms / QUARTER_MS);
}
