import type { PostgresPool } from "./postgres-pool.ts";

const READ = "select floor(extract(epoch from authority_now()) * 1000)::bigint as now_ms";
/** The first connection takes a while to open, and a time that was read on it says little. */
const READS = 3;

/**
 * The clock of the database, as a process knows it: the time in the database's replies, and the time since by the monotonic clock. All processes
 * have the same one, however wrong the clocks of their machines are. Until the first reply it is the clock of the machine.
 */
export class DatabaseClock {
  readonly #monotonicMs: () => number;
  /** The time of the database less the monotonic one. */
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

  /** A statement is sent now. Call the result with the time of the database in its reply. */
  sent(): (nowMs: number) => void {
    const sentAtMs = this.#monotonicMs();
    return (nowMs) => this.#replied(nowMs, sentAtMs);
  }

  /** The time was this at some moment since the statement was sent. */
  #replied(nowMs: number, sentAtMs: number): void {
    const least = nowMs - this.#monotonicMs();
    // It was rounded down.
    const most = nowMs + 1 - sentAtMs;
    const known = this.#offsetMs ?? (least + most) / 2;
    this.#offsetMs = Math.min(most, Math.max(least, known));
  }
}
