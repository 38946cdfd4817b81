import { QUARTER_MS } from "../../../lib/time/calendar.ts";
import { RequestSums, type SummedRequest } from "./request-sums.ts";

/** An account or a model, or all of them: all is a number, so that no name can be mistaken for it. */
export type Name = string | typeof ALL;
export const ALL = 0;

/** The sums of an account and a model. */
interface NamedSums {
  readonly account: Name;
  readonly model: Name;
  readonly sums: RequestSums;
}

/** Sums that are not written yet, for each quarter hour by account and model. */
export class PendingSums {
  readonly #quarters = new Map<number, QuarterSums>();
  #size = 0;
  #last = Number.NaN;

  /** The number of sums. */
  get size(): number {
    return this.#size;
  }

  /** The quarter hour of the last request. */
  get lastQuarter(): number {
    return this.#last;
  }

  add(request: SummedRequest): void {
    this.#last = quarterOf(request.endedAtMs);
    let sums = this.#quarters.get(this.#last);
    if (!sums) this.#quarters.set(this.#last, (sums = new QuarterSums()));
    if (sums.add(request)) this.#size++;
  }

  quarters(): Iterable<[number, QuarterSums]> {
    return this.#quarters;
  }
}

/** The sums of one quarter hour. */
class QuarterSums {
  readonly #accounts = new Map<string | null, Map<string | null, RequestSums>>();

  /** Adds a request. Returns whether it is the first of its account and model. */
  add(request: SummedRequest): boolean {
    const { accountId, model } = request;
    let models = this.#accounts.get(accountId);
    if (!models) this.#accounts.set(accountId, (models = new Map()));
    const known = models.get(model);
    const sums = known ?? new RequestSums();
    if (!known) models.set(model, sums);
    sums.add(request);
    return !known;
  }

  /** The sums of an account and a model, or of all of them. */
  *of(account: Name, model: Name): Generator<RequestSums, void> {
    for (const [accountId, models] of this.#accounts) {
      if (account !== ALL && accountId !== account) continue;
      for (const [name, sums] of models) if (model === ALL || name === model) yield sums;
    }
  }

  /**
   * The sums in their stored form: of each pair of account and model, of each account, of each model, and of all requests. So every query
   * reads one sum for each quarter hour, however many accounts and models there are.
   */
  *series(): Generator<NamedSums, void> {
    const all = new RequestSums();
    const ofModels = new Map<string, RequestSums>();
    for (const [account, models] of this.#accounts) {
      const ofAccount = new RequestSums();
      for (const [model, sums] of models) {
        ofAccount.merge(sums);
        if (model === null) continue;
        mergeInto(ofModels, model, sums);
        if (account !== null) yield { account, model, sums };
      }
      all.merge(ofAccount);
      if (account !== null) yield { account, model: ALL, sums: ofAccount };
    }
    for (const [model, sums] of ofModels) yield { account: ALL, model, sums };
    yield { account: ALL, model: ALL, sums: all };
  }
}

function mergeInto(ofModels: Map<string, RequestSums>, model: string, sums: RequestSums): void {
  let ofModel = ofModels.get(model);
  if (!ofModel) ofModels.set(model, (ofModel = new RequestSums()));
  ofModel.merge(sums);
}

/** The number of the quarter hour of a moment, since 1970. */
export function quarterOf(ms: number): number {
  return Math.floor(ms / QUARTER_MS);
}
