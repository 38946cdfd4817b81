import type { PostgresPool } from "./postgres-pool.ts";

const READ = "select floor(extract(epoch from authority_now()) * 1000)::bigint as now_ms";
/** The first connection takes a while to open, so a time that was read on it is imprecise. */
const READS = 3;

/**
 * The clock of the database, as a process estimates it: the time in the database's replies, plus the time since then by the monotonic
 * clock. All processes agree on it, however wrong the clocks of their machines are. Until the first reply it is the clock of the machine.
 */
export class DatabaseClock {
  readonly #monotonicMs: () => number;
  /** The time of the database minus the monotonic time. */
  #offsetMs: number | undefined;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  readonly nowMs = (): number => (this.#offsetMs === undefined ? Date.now() : Math.floor(this.#monotonicMs() + this.#offsetMs));

  /** Reads the time. Throws `StorageUnavailable`. */
  async read(pool: Pick<PostgresPool, "query">): Promise<void> {
    for (let reads = 0; reads < READS; reads++) {
      const replied = this.sent();
      const [row] = await pool.query<{ now_ms: bigint }>(READ);
      replied(Number(row!.now_ms));
    }
  }

  /** Call this when a statement is sent, and call the result with the time of the database in its reply. */
  sent(): (nowMs: number) => void {
    const sentAtMs = this.#monotonicMs();
    return (nowMs) => this.#replied(nowMs, sentAtMs);
  }

  /** The database's clock showed this time at some moment since the statement was sent. */
  #replied(nowMs: number, sentAtMs: number): void {
    const least = nowMs - this.#monotonicMs();
    // The time was rounded down.
    const most = nowMs + 1 - sentAtMs;
    const known = this.#offsetMs ?? (least + most) / 2;
    this.#offsetMs = Math.min(most, Math.max(least, known));
  }
}
