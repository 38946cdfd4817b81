import type { PostgresPool } from "./postgres-pool.ts";

/** How long a lease lasts, by the database's clock. */
export const LEASE_MS = 6000;
/** Allows two renewals within a lease, and one more for a statement that fails. */
const RENEW_EVERY_MS = 2000;

interface LeadershipOptions {
  readonly pool: Pick<PostgresPool, "query">;
  /** The id of this process, new at each start. */
  readonly instanceId: string;
  /** The background jobs. One process of the cluster runs each of them at a time. */
  readonly jobs: readonly string[];
  readonly monotonicMs: () => number;
}

/**
 * Leader election for background jobs: a lease for each job, which its leader renews. When a leader is lost, another process takes its jobs
 * one lease later. A leader that cannot renew stops before its lease ends in the database, so that no two processes lead at the same time;
 * a long job checks again before each step. There is no session state, so that it works behind a connection pooler.
 */
export class Leadership {
  readonly #options: LeadershipOptions;
  /** The jobs that this process leads, with the times on the monotonic clock until which it leads them. */
  #until = new Map<string, number>();
  #timer: Timer | undefined;
  #renewing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: LeadershipOptions) {
    this.#options = options;
  }

  /** Answered from memory. Also false if the database cannot be reached for longer than a lease. */
  isLeader(job: string): boolean {
    return this.#options.monotonicMs() < (this.#until.get(job) ?? -Infinity);
  }

  /** Takes part in the election from now on. */
  start(): void {
    void this.renew();
  }

  /** Takes jobs without a leader, and renews the leases of this process. Never throws. */
  async renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    await this.#renewing;
  }

  /** Releases the jobs. Other processes take them with their next renewal. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // If the renewal were executed after the release, it would take the jobs again.
    await this.#renewing;
    this.#until.clear();
    const { pool, instanceId } = this.#options;
    // If the deletion fails, the leases end by themselves.
    await pool.query("delete from leaders where instance_id = $1", [instanceId]).catch(() => undefined);
  }

  async #renew(): Promise<void> {
    const { pool, instanceId, jobs, monotonicMs } = this.#options;
    const sentAtMs = monotonicMs();
    try {
      const led = await pool.query<{ job: string }>(RENEW, [jobs.toSorted(), instanceId, LEASE_MS]);
      // Counted from the time of sending, which is before the database has granted the lease.
      this.#until = new Map(led.map(({ job }) => [job, sentAtMs + LEASE_MS]));
    } catch {
      // If renewal fails, the leases of this process end by its own clock.
    } finally {
      if (!this.#isClosed) this.#timer = setTimeout(() => void this.renew(), RENEW_EVERY_MS).unref();
    }
  }
}

/** Jobs are locked in order, so that two processes cannot deadlock. */
const RENEW = `insert into leaders as held (job, instance_id, until)
  select job, $2::text, clock_timestamp() + $3::float8 * interval '1 millisecond' from unnest($1::text[]) as job
  on conflict (job) do update set instance_id = excluded.instance_id, until = excluded.until
    where held.instance_id = excluded.instance_id or held.until < clock_timestamp()
  returning job`;
