import { OUTCOMES, type LoggedRequest, type Outcome } from "../../../requests/logged-request.ts";
import type { Quantiles, RequestMeasures } from "../request-log-store.ts";
import { binOf, Histogram } from "./histogram.ts";

/** The fields of a request that are aggregated. */
export type SummedRequest = Pick<LoggedRequest, "endedAtMs" | "accountId" | "model" | "outcome" | "code" | "durationMs" | "firstTokenMs">;

/** Stored sums. Counts are JSON, without zeros. */
export interface StoredSums {
  readonly outcomes: string;
  readonly codes: string | null;
  readonly durations: Uint8Array | null;
  readonly first_tokens: Uint8Array | null;
}

/** Aggregates of requests: outcomes, error codes and durations. Fields are created on first use, because most stay empty. */
export class RequestSums {
  readonly #outcomes: Partial<Record<Outcome, number>> = {};
  #codes: Map<string, number> | undefined;
  /** Only of complete responses: rejected requests take no time, and would make slow models look fast. */
  #durations: Histogram | undefined;
  #firstTokens: Histogram | undefined;

  add({ outcome, code, durationMs, firstTokenMs }: SummedRequest): void {
    this.#addOutcome(outcome, 1);
    if (code !== null) this.#addCode(code, 1);
    if (outcome === "complete") (this.#durations ??= new Histogram()).add(binOf(durationMs));
    if (firstTokenMs !== null) (this.#firstTokens ??= new Histogram()).add(binOf(firstTokenMs));
  }

  merge(other: RequestSums): void {
    this.#addCounts(other.#outcomes, other.#codes ?? []);
    if (other.#durations) (this.#durations ??= new Histogram()).merge(other.#durations);
    if (other.#firstTokens) (this.#firstTokens ??= new Histogram()).merge(other.#firstTokens);
  }

  mergeStored({ outcomes, codes, durations, first_tokens: firstTokens }: StoredSums): void {
    this.#addCounts(
      JSON.parse(outcomes) as Partial<Record<Outcome, number>>,
      codes === null ? [] : Object.entries(JSON.parse(codes) as Record<string, number>),
    );
    if (durations) (this.#durations ??= new Histogram()).mergeEncoded(durations);
    if (firstTokens) (this.#firstTokens ??= new Histogram()).mergeEncoded(firstTokens);
  }

  store(): StoredSums {
    return {
      outcomes: JSON.stringify(this.#outcomes),
      codes: this.#codes ? JSON.stringify(Object.fromEntries(this.#codes)) : null,
      durations: this.#durations?.encode() ?? null,
      first_tokens: this.#firstTokens?.encode() ?? null,
    };
  }

  measures(): RequestMeasures {
    const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, this.#outcomes[outcome] ?? 0])) as Record<Outcome, number>;
    return {
      requests: Object.values(outcomes).reduce((sum, count) => sum + count, 0),
      outcomes,
      codes: new Map([...(this.#codes ?? [])].toSorted(([a, aCount], [b, bCount]) => bCount - aCount || (a < b ? -1 : 1))),
      durationMs: quantilesOf(this.#durations),
      firstTokenMs: quantilesOf(this.#firstTokens),
    };
  }

  #addCounts(outcomes: Partial<Record<Outcome, number>>, codes: Iterable<[string, number]>): void {
    for (const outcome of OUTCOMES) if (outcomes[outcome]) this.#addOutcome(outcome, outcomes[outcome]);
    for (const [code, count] of codes) this.#addCode(code, count);
  }

  #addOutcome(outcome: Outcome, count: number): void {
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + count;
  }

  #addCode(code: string, count: number): void {
    this.#codes ??= new Map();
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + count);
  }
}

function quantilesOf(histogram: Histogram | undefined): Quantiles | null {
  if (!histogram) return null;
  const [p50, p95, p99] = histogram.quantiles([0.5, 0.95, 0.99]) as [number, number, number];
  return { p50, p95, p99 };
}
