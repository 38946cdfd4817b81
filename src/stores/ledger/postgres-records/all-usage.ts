import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import type { CostedMeasures, UsageReport, UsageReportQuery } from "../ledger-record-store.ts";
import { GRANULARITIES } from "../usage/granularity.ts";
import { EVERYBODY } from "../usage/series.ts";
import { Parameters } from "./parameters.ts";
import { splitByRollupCoverage } from "./split-by-rollup-coverage.ts";
import type { RollupProgress } from "./rollup-progress.ts";
import type { SumColumn } from "./sum-columns.ts";
import { divideBuckets } from "./usage-parts.ts";
import { usageQuery } from "./usage-query.ts";

/** A row of the report, or its total. Sums are null if there are no rows to add up. */
type SumRow = Readonly<Record<SumColumn, string | null>> & {
  /** The row's position in the report; null for the total. */
  readonly place: bigint | null;
  readonly from_ms: bigint;
  readonly names: readonly string[];
};

/**
 * Settings for this transaction only. A report consists of many short index scans, for which parallel workers and compiled code take longer
 * to start than to run. Thousands of end users are grouped in memory: sorting them on disk takes twice as long.
 */
const PLAN_PLAINLY =
  "select set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true), set_config('work_mem', '64MB', true)";

/** Reads a report of all usage, with or without names, in one statement. */
export async function readAllUsage(
  connection: PostgresConnection,
  query: UsageReportQuery,
  progress: RollupProgress,
): Promise<UsageReport> {
  const { intervals, parts } = divideBuckets(query.bounds, GRANULARITIES);
  const [places] = await Promise.all([
    splitByRollupCoverage(connection, parts, query.accountId ?? EVERYBODY),
    connection.query(PLAN_PLAINLY),
  ]);
  const parameters = new Parameters();
  const sources = { intervals: [...intervals, ...places.inRollups], parts: places.inEntries, ...progress };
  const sql = usageQuery(query, sources, parameters);
  const rows = await connection.query<SumRow>(sql, parameters.values);
  return {
    rows: rows.filter(({ place }) => place !== null).map((row) => ({ fromMs: Number(row.from_ms), names: row.names, ...toMeasures(row) })),
    total: toMeasures(rows.find(({ place }) => place === null)!),
  };
}

function toMeasures(row: SumRow): CostedMeasures {
  return {
    requests: Number(row.requests),
    failed: Number(row.failed),
    promptTokens: Number(row.prompt_tokens),
    cachedTokens: Number(row.cached_tokens),
    cacheWriteTokens: Number(row.cache_write_tokens),
    completionTokens: Number(row.completion_tokens),
    reasoningTokens: Number(row.reasoning_tokens),
    costNanos: BigInt(row.cost_nanos ?? 0),
    unchargedNanos: BigInt(row.uncharged_nanos ?? 0),
    costedRequests: Number(row.costed_requests),
    upstreamCostNanos: BigInt(row.upstream_cost_nanos ?? 0),
    costedNanos: BigInt(row.costed_nanos ?? 0),
  };
}
