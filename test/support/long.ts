import type { Parameters } from "fast-check";

/** Whether `npm run test:long` asked for the long variants: many more runs of the same tests. */
export const isLong = process.env["TOLLGATE_TEST_LONG"] === "1";

/**
 * How often a property is tried, and from which seed. It is the same one each time, so that a test fails for everybody or for
 * nobody. What failed prints its seed and path; to run exactly that again, and to try another seed:
 *
 *     TOLLGATE_TEST_SEED=-12345 TOLLGATE_TEST_PATH=417:2:0 npx bun test src/stores/ledger/ledger-model.test.ts
 *     TOLLGATE_TEST_SEED=7 npm test
 */
export function runs(usual: number, long: number = usual * 20): Parameters<unknown> {
  const path = process.env["TOLLGATE_TEST_PATH"];
  const seed = Number(process.env["TOLLGATE_TEST_SEED"] ?? 1);
  return { seed, numRuns: isLong ? long : usual, includeErrorInReport: true, ...(path !== undefined && { path, numRuns: 1 }) };
}

/**
 * The cells of a table that are tried: all of them in the long run. Otherwise each row with one column, and each column with a row, because
 * what is wrong with a row or a column shows in most of its cells.
 */
export function cells<Row, Column>(rows: readonly Row[], columns: readonly Column[]): [Row, Column][] {
  if (isLong) return rows.flatMap((row) => columns.map((column): [Row, Column] => [row, column]));
  const most = Math.max(rows.length, columns.length);
  return Array.from({ length: most }, (_, at) => [rows[at % rows.length]!, columns[at % columns.length]!]);
}
