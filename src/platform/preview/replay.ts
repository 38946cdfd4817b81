import type { HistoricalRequest } from "../../stores/ledger/request-history-store.ts";
import { PreviewSums } from "./preview-sums.ts";
import type { Judge } from "./simulation.ts";

/**
 * Replays the admission of past requests with a simulation. Requests that were admitted before the range are not judged: they only count
 * as in flight at its start.
 */
export class Replay {
  readonly sums = new PreviewSums();
  readonly #judge: Judge;
  readonly #fromMs: number;
  /** Requests in flight that have an end, ordered by the ids of their end entries. */
  readonly #inFlight: HistoricalRequest[] = [];

  constructor(judge: Judge, fromMs: number) {
    this.#judge = judge;
    this.#fromMs = fromMs;
  }

  /** Adds the next request, in the order of admission. */
  add(request: HistoricalRequest): void {
    this.#endUpTo(request.id);
    if (request.atMs < this.#fromMs) return this.#admit(request);
    const refusal = this.#judge.refusalOf(request);
    this.sums.add(request, refusal, refusal === undefined ? this.#judge.chargeOf(request) : 0n);
    if (refusal === undefined) this.#admit(request);
  }

  #admit(request: HistoricalRequest): void {
    this.#judge.take(request);
    if (!request.end) return;
    // Most requests end after earlier ones, so the position is near the end.
    const at = this.#inFlight.findLastIndex(({ end }) => end!.id < request.end!.id);
    this.#inFlight.splice(at + 1, 0, request);
  }

  #endUpTo(id: number): void {
    while (this.#inFlight.length > 0 && this.#inFlight[0]!.end!.id < id) this.#judge.end(this.#inFlight.shift()!);
  }
}
