import type { PostgresPool } from "./postgres-pool.ts";

/** How long a lease lasts, by the clock of the database. */
export const LEASE_MS = 6000;
/** Twice within a lease, and once more for a statement that fails. */
const RENEW_EVERY_MS = 2000;

interface LeadershipOptions {
  readonly pool: Pick<PostgresPool, "query">;
  /** This process, since its start. */
  readonly instanceId: string;
  /** The background jobs that one process of the cluster does at a time. */
  readonly jobs: readonly string[];
  readonly monotonicMs: () => number;
}

/**
 * Leader election for background jobs: a lease for each job, which its leader renews. When a leader is lost, another process takes its jobs a
 * lease later. A leader that cannot renew stops before its lease ends in the database, so that no two lead at the same time; a job that takes
 * long asks again before each step. There is no session state, so that it works behind a connection pooler.
 */
export class Leadership {
  readonly #options: LeadershipOptions;
  /** The jobs that this process leads, and the time on the monotonic clock until which it does. */
  #until = new Map<string, number>();
  #timer: Timer | undefined;
  #renewing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: LeadershipOptions) {
    this.#options = options;
  }

  /** From memory. Also false while the database cannot be reached for longer than a lease. */
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

  /** Gives the jobs to other processes, which take them with their next renewal. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // Were it executed after the release, it would take the jobs again.
    await this.#renewing;
    this.#until.clear();
    const { pool, instanceId } = this.#options;
    // Where that fails, the leases end by themselves.
    await pool.query("delete from leaders where instance_id = $1", [instanceId]).catch(() => undefined);
  }

  async #renew(): Promise<void> {
    const { pool, instanceId, jobs, monotonicMs } = this.#options;
    const sentAtMs = monotonicMs();
    try {
      const led = await pool.query<{ job: string }>(RENEW, [jobs.toSorted(), instanceId, LEASE_MS]);
      // From when it was sent, which is before the database has granted it.
      this.#until = new Map(led.map(({ job }) => [job, sentAtMs + LEASE_MS]));
    } catch {
      // The leases that this process has end by its own clock.
    } finally {
      if (!this.#isClosed) this.#timer = setTimeout(() => void this.renew(), RENEW_EVERY_MS).unref();
    }
  }
}

/** Jobs are locked in order, so that two processes cannot wait for each other. */
const RENEW = `insert into leaders as held (job, instance_id, until)
  select job, $2::text, clock_timestamp() + $3::float8 * interval '1 millisecond' from unnest($1::text[]) as job
  on conflict (job) do update set instance_id = excluded.instance_id, until = excluded.until
    where held.instance_id = excluded.instance_id or held.until < clock_timestamp()
  returning job`;
