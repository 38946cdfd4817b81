import { OUTCOMES, type LoggedRequest, type Outcome } from "../../../vocabulary/logged-request.ts";
import type { Quantiles, RequestMeasures } from "../request-log-store.ts";
import { binOf, Histogram } from "./histogram.ts";

/** What is added up of a request. */
export type SummedRequest = Pick<LoggedRequest, "endedAtMs" | "accountId" | "model" | "outcome" | "code" | "durationMs" | "firstTokenMs">;

/** The same, as it is added: worked out once for all the sums that it belongs to. */
export interface SummedEnd {
  readonly outcome: Outcome;
  readonly code: string | null;
  /** Of a complete answer alone: refusals take no time, and would make slow models look fast. */
  readonly durationBin: number | undefined;
  readonly firstTokenBin: number | undefined;
}

export function toSummedEnd({ outcome, code, durationMs, firstTokenMs }: SummedRequest): SummedEnd {
  return {
    outcome,
    code,
    durationBin: outcome === "complete" ? binOf(durationMs) : undefined,
    firstTokenBin: firstTokenMs === null ? undefined : binOf(firstTokenMs),
  };
}

/** Sums as a file has them. Counts are JSON, without those that are zero. */
export interface StoredSums {
  readonly outcomes: string;
  readonly codes: string | null;
  readonly durations: Uint8Array | null;
  readonly first_tokens: Uint8Array | null;
}

/** How some requests came out, and how long they took. */
export class RequestSums {
  readonly #outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  readonly #codes = new Map<string, number>();
  readonly #durations = new Histogram();
  readonly #firstTokens = new Histogram();

  add({ outcome, code, durationBin, firstTokenBin }: SummedEnd): void {
    this.#outcomes[outcome]++;
    if (code !== null) this.#addCode(code, 1);
    if (durationBin !== undefined) this.#durations.add(durationBin);
    if (firstTokenBin !== undefined) this.#firstTokens.add(firstTokenBin);
  }

  merge(other: RequestSums): void {
    for (const outcome of OUTCOMES) this.#outcomes[outcome] += other.#outcomes[outcome];
    for (const [code, count] of other.#codes) this.#addCode(code, count);
    this.#durations.merge(other.#durations);
    this.#firstTokens.merge(other.#firstTokens);
  }

  mergeStored({ outcomes, codes, durations, first_tokens: firstTokens }: StoredSums): void {
    const counts = JSON.parse(outcomes) as Partial<Record<Outcome, number>>;
    for (const outcome of OUTCOMES) this.#outcomes[outcome] += counts[outcome] ?? 0;
    if (codes) for (const [code, count] of Object.entries(JSON.parse(codes) as Record<string, number>)) this.#addCode(code, count);
    if (durations) this.#durations.mergeEncoded(durations);
    if (firstTokens) this.#firstTokens.mergeEncoded(firstTokens);
  }

  store(): StoredSums {
    return {
      outcomes: JSON.stringify(Object.fromEntries(Object.entries(this.#outcomes).filter(([, count]) => count > 0))),
      codes: this.#codes.size > 0 ? JSON.stringify(Object.fromEntries(this.#codes)) : null,
      durations: this.#durations.encode(),
      first_tokens: this.#firstTokens.encode(),
    };
  }

  measures(): RequestMeasures {
    return {
      requests: Object.values(this.#outcomes).reduce((sum, count) => sum + count, 0),
      outcomes: { ...this.#outcomes },
      codes: new Map([...this.#codes].toSorted(([a, aCount], [b, bCount]) => bCount - aCount || (a < b ? -1 : 1))),
      durationMs: quantilesOf(this.#durations),
      firstTokenMs: quantilesOf(this.#firstTokens),
    };
  }

  #addCode(code: string, count: number): void {
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + count);
  }
}

function quantilesOf(histogram: Histogram): Quantiles | null {
  const quantiles = histogram.quantiles([0.5, 0.95, 0.99]);
  if (!quantiles) return null;
  const [p50, p95, p99] = quantiles as [number, number, number];
  return { p50, p95, p99 };
}
