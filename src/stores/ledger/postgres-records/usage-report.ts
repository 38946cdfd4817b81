import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { CallerGone } from "../../../lib/async/caller-gone.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { NO_USAGE, type CostedMeasures, type UsageReport, type UsageReportQuery } from "../ledger-record-store.ts";
import { ATTRIBUTED_GRANULARITIES, GRANULARITIES } from "../usage/granularity.ts";
import { refuseFarBehind } from "../usage/refuse-far-behind.ts";
import { EVERYBODY } from "../usage/series.ts";
import { Parameters } from "./parameters.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { divideBuckets, type BucketInterval, type QuarterPart } from "./usage-parts.ts";
import type { SumColumn } from "./sum-columns.ts";
import { usageQuery } from "./usage-query.ts";

/** Entries that are not in the rollups, which a report adds up by itself: about a second. */
const MAX_UNROLLED = 200_000;

const NO_COSTS: CostedMeasures = { ...NO_USAGE, costedRequests: 0, upstreamCostNanos: 0n, costedNanos: 0n };

/** A row of the report, or its total. Sums are null over no rows. */
type SumRow = Readonly<Record<SumColumn, string | null>> & {
  /** The row's place in the report; null for the total. */
  readonly place: bigint | null;
  readonly from_ms: bigint;
  readonly names: readonly string[];
};

/** Up to which entry the rollups and the ledger reach. */
interface Reach {
  readonly asOfId: number;
  readonly lastId: number;
}

/** A report of the moment: from the rollups, and from the entries for what is not in them. */
export async function reportUsage(
  pool: PostgresPool,
  query: UsageReportQuery,
  namesPerDay: number,
  signal?: CancelSignal,
): Promise<UsageReport> {
  if (signal?.aborted) throw new CallerGone();
  // The sums of everybody have this account.
  if (query.accountId === EVERYBODY) return { rows: [], total: NO_COSTS };
  const report = await readSnapshot(pool, (connection) => readReport(connection, query, namesPerDay));
  if (signal?.aborted) throw new CallerGone();
  return report;
}

/**
 * For this transaction. A report is many short index scans, for which workers and compiled code take longer to start than to run. Thousands of end
 * users are grouped in memory: sorting them on disk takes twice as long.
 */
const PLAN_PLAINLY =
  "select set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true), set_config('work_mem', '64MB', true)";

async function readReport(connection: PostgresConnection, query: UsageReportQuery, namesPerDay: number): Promise<UsageReport> {
  const { intervals, parts } = divideBuckets(query.bounds, GRANULARITIES);
  const { intervals: named } = divideBuckets(query.bounds, ATTRIBUTED_GRANULARITIES);
  const [reach, places] = await Promise.all([
    readReach(connection),
    placeParts(connection, parts, query.accountId ?? EVERYBODY),
    connection.query(PLAN_PLAINLY),
  ]);
  refuseFarBehind(reach.asOfId, reach.lastId, MAX_UNROLLED);
  const parameters = new Parameters();
  const sources = {
    intervals: [...intervals, ...places.inRollups],
    namedIntervals: [...named, ...places.inRollups],
    parts: places.inEntries,
    ...reach,
    namesPerDay,
  };
  const sql = usageQuery(query, sources, parameters);
  const rows = await connection.query<SumRow>(sql, parameters.values);
  return {
    rows: rows.filter(({ place }) => place !== null).map((row) => ({ fromMs: Number(row.from_ms), names: row.names, ...toMeasures(row) })),
    total: toMeasures(rows.find(({ place }) => place === null)!),
  };
}

async function readReach(connection: PostgresConnection): Promise<Reach> {
  const sql = "select as_of_id, last_id from usage_rolled, ledger_head";
  const [row] = await connection.query<{ as_of_id: bigint; last_id: bigint }>(sql);
  return { asOfId: Number(row!.as_of_id), lastId: Number(row!.last_id) };
}

/** Parts of quarter hours are read from the rollups where the rest of the quarter hour is empty, and otherwise from the entries. */
async function placeParts(
  connection: PostgresConnection,
  parts: readonly QuarterPart[],
  accountId: string,
): Promise<{ inRollups: readonly BucketInterval[]; inEntries: readonly QuarterPart[] }> {
  if (parts.length === 0) return { inRollups: [], inEntries: [] };
  const rows = await connection.query<{ slot: bigint; first_ms: bigint; last_ms: bigint }>(
    `select slot, min(first_ms) as first_ms, max(last_ms) as last_ms from usage_sums
    where account_id = $1 and grain = 'quarter' and slot = any($2::bigint[]) group by slot`,
    [accountId, [...new Set(parts.map(({ slot }) => slot))]],
  );
  const used = new Map(
    rows.map(({ slot, first_ms: first, last_ms: last }) => [Number(slot), { first: Number(first), last: Number(last) }]),
  );
  const inRollups: BucketInterval[] = [];
  const inEntries: QuarterPart[] = [];
  for (const part of parts) {
    const extent = used.get(part.slot);
    if (!extent) continue;
    const { bucketMs, slot, fromMs, toMs } = part;
    if (extent.first < fromMs || extent.last >= toMs) inEntries.push(part);
    else inRollups.push({ bucketMs, granularity: "quarter", firstSlot: slot, endSlot: slot + 1 });
  }
  return { inRollups, inEntries };
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
