import { dollarsOf, nanosOf } from "../parts/format/dollars.ts";
import type { ChartData, Series } from "./chart-data.ts";

/** Running totals: each slot has the sum of its own value and all earlier ones. A slot without data stays empty. */
export function accumulate<Data extends ChartData>(data: Data): Data {
  return { ...data, series: data.series.map(ofSeries), ...(data.previous && { previous: ofSeries(data.previous) }) };
}

function ofSeries(series: Series): Series {
  const { values, exact } = series;
  const nanos = exact && runningTotals(exact, 0n, (sum, text) => sum + (nanosOf(text) ?? 0n));
  // Money is added exactly: a sum of floats would drift.
  const exactSums = nanos?.map((sum) => (sum === null ? null : dollarsOf(sum)));
  return {
    ...series,
    values: exactSums?.map((text) => (text === null ? null : Number(text))) ?? runningTotals(values, 0, (sum, value) => sum + value),
    ...(exactSums && { exact: exactSums }),
  };
}

function runningTotals<Value, Sum>(values: readonly (Value | null)[], zero: Sum, add: (sum: Sum, value: Value) => Sum): (Sum | null)[] {
  let sum = zero;
  return values.map((value) => (value === null ? null : (sum = add(sum, value))));
}
