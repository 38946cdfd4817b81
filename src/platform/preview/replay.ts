import type { HistoricalRequest } from "../../stores/ledger/request-history-store.ts";
import { PreviewSums } from "./preview-sums.ts";
import type { SimulatedAdmission } from "./simulation.ts";

/**
 * Replays the admission of past requests with a simulation. Requests that were admitted before the range are not simulated: they only count
 * as in flight at its start.
 */
export class Replay {
  readonly sums = new PreviewSums();
  readonly #admission: SimulatedAdmission;
  readonly #fromMs: number;
  /** Requests in flight that have an end, ordered by the ids of their end entries. */
  readonly #inFlight: HistoricalRequest[] = [];

  constructor(admission: SimulatedAdmission, fromMs: number) {
    this.#admission = admission;
    this.#fromMs = fromMs;
  }

  /** Adds the next request, in the order of admission. */
  add(request: HistoricalRequest): void {
    this.#endUpTo(request.id);
    if (request.atMs < this.#fromMs) return this.#admit(request);
    const refusal = this.#admission.refusalOf(request);
    this.sums.add(request, refusal, refusal === undefined ? this.#admission.chargeOf(request) : 0n);
    if (refusal === undefined) this.#admit(request);
  }

  #admit(request: HistoricalRequest): void {
    this.#admission.take(request);
    if (!request.end) return;
    // Most requests end after earlier ones, so the position is near the end.
    const at = this.#inFlight.findLastIndex(({ end }) => end!.id < request.end!.id);
    this.#inFlight.splice(at + 1, 0, request);
  }

  #endUpTo(id: number): void {
    while (this.#inFlight.length > 0 && this.#inFlight[0]!.end!.id < id) this.#admission.end(this.#inFlight.shift()!);
  }
}
