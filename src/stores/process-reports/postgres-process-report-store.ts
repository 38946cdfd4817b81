import type { PostgresPool } from "../postgres/postgres-pool.ts";
import type { ProcessReportStore, RefusedLimit } from "./process-report-store.ts";

interface ProcessReportOptions {
  readonly pool: Pick<PostgresPool, "query">;
  /** The id of this process. */
  readonly instanceId: string;
  /** How long a process may be silent before it counts as lost: an interval of PostgreSQL. */
  readonly lostAfter: string;
}

interface RefusalRow extends Omit<RefusedLimit, "leftNanos"> {
  readonly left_nanos: string;
}

const REPORT = `insert into process_reports (instance_id, upstreams) values ($1, $2)
  on conflict (instance_id) do update set upstreams = excluded.upstreams`;

/** Ordered, so that two processes that add the same limits cannot deadlock. */
const ADD = `insert into refusals (scope, id, what, left_nanos)
  select scope, id, what, left_nanos from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as added (scope, id, what, left_nanos)
  order by scope, id, what
  on conflict (scope, id, what) do update set left_nanos = excluded.left_nanos`;

/** The reports of processes to each other, in PostgreSQL. */
export class PostgresProcessReportStore implements ProcessReportStore {
  readonly #options: ProcessReportOptions;

  constructor(options: ProcessReportOptions) {
    this.#options = options;
  }

  async reportUpstreams(report: string): Promise<void> {
    await this.#options.pool.query(REPORT, [this.#options.instanceId, report]);
  }

  async upstreamReports(): Promise<ReadonlyMap<string, string>> {
    const { pool, instanceId, lostAfter } = this.#options;
    const text = `select r.instance_id as id, r.upstreams from process_reports r join instances i on i.id = r.instance_id
      where i.state = 'live' and i.seen_at >= authority_now() - ${lostAfter} and i.id <> $1`;
    const rows = await pool.query<{ id: string; upstreams: string }>(text, [instanceId]);
    return new Map(rows.map(({ id, upstreams }) => [id, upstreams]));
  }

  async addRefusals(refused: readonly RefusedLimit[]): Promise<void> {
    const columns = [
      refused.map(({ scope }) => scope),
      refused.map(({ id }) => id),
      refused.map(({ what }) => what),
      refused.map(({ leftNanos }) => String(leftNanos)),
    ];
    await this.#options.pool.query(ADD, columns);
  }

  async takeRefusals(): Promise<readonly RefusedLimit[]> {
    const rows = await this.#options.pool.query<RefusalRow>("delete from refusals returning scope, id, what, left_nanos");
    return rows.map(({ left_nanos: leftNanos, ...limit }) => ({ ...limit, leftNanos: BigInt(leftNanos) }));
  }

  async forget(): Promise<void> {
    const { pool, instanceId } = this.#options;
    await pool.query("delete from process_reports where instance_id = $1", [instanceId]);
  }
}
