import { expect } from "bun:test";
import type {
  Quantiles,
  RequestMeasures,
  RequestStatistics,
  RequestStatisticsQuery,
} from "../../src/stores/request-log/request-log-store.ts";
import { OUTCOMES, type LoggedRequest, type Outcome } from "../../src/requests/logged-request.ts";

/** The maximum relative error of a quantile. */
const MAX_ERROR = 0.05;

/** Checks statistics against the requests themselves, which are added up in the simplest way. */
export function expectStatistics(answer: RequestStatistics, requests: readonly LoggedRequest[], question: RequestStatisticsQuery): void {
  const { bounds, accountId, model } = question;
  const asked = requests
    .filter(({ endedAtMs }) => endedAtMs >= bounds[0]! && endedAtMs < bounds.at(-1)!)
    .filter((each) => (accountId ?? each.accountId) === each.accountId && (model ?? each.model) === each.model);
  const stretches = bounds.slice(0, -1).map((fromMs, at) => {
    return { fromMs, of: asked.filter(({ endedAtMs }) => endedAtMs >= fromMs && endedAtMs < bounds[at + 1]!) };
  });
  const expected = stretches.filter(({ of }) => of.length > 0);
  expect(answer.rows.map(({ fromMs }) => fromMs)).toEqual(expected.map(({ fromMs }) => fromMs));
  for (const [at, { of }] of expected.entries()) expectMeasures(answer.rows[at]!, of);
  expectMeasures(answer.total, asked);
}

function expectMeasures(measures: RequestMeasures, requests: readonly LoggedRequest[]): void {
  const countOf = (isOne: (request: LoggedRequest) => boolean): number => requests.filter(isOne).length;
  const outcomes = OUTCOMES.map((outcome): [Outcome, number] => [outcome, countOf((request) => request.outcome === outcome)]);
  const codes = [...new Set(requests.flatMap(({ code }) => code ?? []))];
  expect(measures.requests).toBe(requests.length);
  expect(measures.outcomes).toEqual(Object.fromEntries(outcomes) as Record<Outcome, number>);
  expect(measures.codes).toEqual(new Map(codes.map((code) => [code, countOf((request) => request.code === code)])));
  const counts = [...measures.codes.values()];
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  expectQuantiles(
    measures.durationMs,
    requests.flatMap(({ outcome, durationMs }) => (outcome === "complete" ? [durationMs] : [])),
  );
  expectQuantiles(
    measures.firstTokenMs,
    requests.flatMap(({ firstTokenMs }) => firstTokenMs ?? []),
  );
}

function expectQuantiles(quantiles: Quantiles | null, times: readonly number[]): void {
  if (times.length === 0) return expect(quantiles).toBeNull();
  const inOrder = times.toSorted((a, b) => a - b);
  for (const [name, share] of [
    ["p50", 0.5],
    ["p95", 0.95],
    ["p99", 0.99],
  ] as const) {
    const exact = inOrder[Math.ceil(share * times.length) - 1]!;
    expect(Math.abs(quantiles![name] / exact - 1)).toBeLessThan(MAX_ERROR);
  }
}
