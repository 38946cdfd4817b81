import type { PastRequest } from "../../stores/ledger/past-request-store.ts";
import { PreviewSums } from "./preview-sums.ts";
import type { Judge } from "./simulation.ts";

/**
 * Lets requests of the past come in once more before another judge. Those that were let in before the span are not judged: they
 * are only there while it begins, as they were.
 */
export class Replay {
  readonly sums = new PreviewSums();
  readonly #judge: Judge;
  readonly #fromMs: number;
  /** Those under way that will have ended, by the ids of their ends. */
  readonly #underWay: PastRequest[] = [];

  constructor(judge: Judge, fromMs: number) {
    this.#judge = judge;
    this.#fromMs = fromMs;
  }

  /** The next one, in the order in which they were let in. */
  add(request: PastRequest): void {
    this.#endUpTo(request.id);
    if (request.atMs < this.#fromMs) return this.#letIn(request);
    const refusal = this.#judge.refusalOf(request);
    this.sums.add(request, refusal, refusal === undefined ? this.#judge.chargeOf(request) : 0n);
    if (refusal === undefined) this.#letIn(request);
  }

  #letIn(request: PastRequest): void {
    this.#judge.take(request);
    if (!request.end) return;
    // Most end after those before them, so its place is near the last one.
    const at = this.#underWay.findLastIndex(({ end }) => end!.id < request.end!.id);
    this.#underWay.splice(at + 1, 0, request);
  }

  #endUpTo(id: number): void {
    while (this.#underWay.length > 0 && this.#underWay[0]!.end!.id < id) this.#judge.end(this.#underWay.shift()!);
  }
}
