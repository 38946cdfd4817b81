import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { CallerGone } from "../../../lib/async/caller-gone.ts";
import type { PostgresConnection, PostgresPool } from "../../postgres/postgres-pool.ts";
import { NO_USAGE, type CostedMeasures, type UsageReport, type UsageReportQuery } from "../ledger-record-store.ts";
import { ReportMaker } from "../usage/report-maker.ts";
import { EVERYBODY } from "../usage/series.ts";
import { readAllUsage } from "./all-usage.ts";
import { AttributedUsageSource } from "./attribution/attributed-usage-source.ts";
import { readReach } from "./reach.ts";
import { readSnapshot } from "./read-snapshot.ts";

const NO_COSTS: CostedMeasures = { ...NO_USAGE, costedRequests: 0, upstreamCostNanos: 0n, costedNanos: 0n };

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
  const report = await readSnapshot(pool, (connection) => readReport(connection, query, namesPerDay, signal));
  if (signal?.aborted) throw new CallerGone();
  return report;
}

async function readReport(
  connection: PostgresConnection,
  query: UsageReportQuery,
  namesPerDay: number,
  signal: CancelSignal | undefined,
): Promise<UsageReport> {
  const reach = await readReach(connection, "usage_rolled");
  const { attributed, by } = query;
  if (!attributed || (!attributed.names && !by.includes("attributed"))) return readAllUsage(connection, query, reach);
  const ofNames = await readReach(connection, "attribution_rolled");
  const source = await AttributedUsageSource.open(connection, query, { all: reach, named: ofNames, namesPerDay }, signal);
  return new ReportMaker(source, query).report();
}
