import type { Parameters } from "fast-check";

/** Whether the long variants run (`npm run test:long`): many more runs of the same tests. */
export const isLong = process.env["TOLLGATE_TEST_LONG"] === "1";

/**
 * The number of runs of a property, and its seed. The seed is the same each time, so that a test fails everywhere or nowhere. A failure
 * prints its seed and path. To repeat exactly this failure, or to use another seed:
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
 * The cells of a table that are tested: all of them in the long run. Otherwise each row with one column, and each column with one row,
 * because an error in a row or a column shows in most of its cells.
 */
export function cells<Row, Column>(rows: readonly Row[], columns: readonly Column[]): [Row, Column][] {
  if (isLong) return rows.flatMap((row) => columns.map((column): [Row, Column] => [row, column]));
  const most = Math.max(rows.length, columns.length);
  return Array.from({ length: most }, (_, at) => [rows[at % rows.length]!, columns[at % columns.length]!]);
}
