import { MAX_CHANGES } from "../ledger/leases/shipper.ts";
import { LOST_AFTER } from "../ledger/postgres/locked-purses.ts";
import type { PostgresPool } from "../postgres/postgres-pool.ts";

/** An idle process calls once a second. */
const TIMEOUT_MS = 10_000;
const POLL_MS = 20;

interface ShipmentWait {
  readonly timeoutMs?: number;
  readonly sleep?: (ms: number) => Promise<void>;
}

/** The last call of a process. */
interface Call {
  readonly id: string;
  readonly seen_at: bigint;
  readonly applied_seq: bigint;
}

const MICROS = "floor(extract(epoch from seen_at) * 1000000)::bigint as seen_at";
const NOW = "select floor(extract(epoch from authority_now()) * 1000000)::bigint as now";
const CALLS = `select id, ${MICROS}, applied_seq from instances where state = 'live'`;
const LOST = `select id from instances where state = 'live' and seen_at < authority_now() - ${LOST_AFTER}`;

/**
 * Waits until every process has shipped the changes that it had recorded when this was called: changes that are only in a journal are not
 * in the database. Returns the processes that have not shipped them: lost processes, and processes that did not call in time.
 */
export async function untilShipped(
  pool: PostgresPool,
  { timeoutMs = TIMEOUT_MS, sleep = Bun.sleep }: ShipmentWait = {},
): Promise<readonly string[]> {
  const [start] = await pool.query<{ now: bigint }>(NOW);
  const lost = (await pool.query<{ id: string }>(LOST)).map(({ id }) => id);
  const present = (await pool.query<Call>(CALLS)).filter(({ id }) => !lost.includes(id));
  const awaited = new Map(present.map(({ id }) => [id, new AwaitedProcess(start!.now)]));
  for (const deadline = performance.now() + timeoutMs; awaited.size > 0 && performance.now() < deadline;) {
    await sleep(POLL_MS);
    const calls = new Map((await pool.query<Call>(CALLS)).map((call) => [call.id, call]));
    for (const [id, process] of awaited) {
      const call = calls.get(id);
      // A process without a row has ended, and has shipped everything.
      if (!call || process.hasShipped(call)) awaited.delete(id);
    }
  }
  return [...lost, ...awaited.keys()];
}

/** A process makes one call at a time, with its oldest changes, at most `MAX_CHANGES` of them. */
class AwaitedProcess {
  readonly #startedAt: bigint;
  #earlier: Call | undefined;

  constructor(startedAt: bigint) {
    this.#startedAt = startedAt;
  }

  /**
   * The first call after the start may have been sent before it. A later call with fewer than `MAX_CHANGES` changes has shipped all of
   * them.
   */
  hasShipped(call: Call): boolean {
    const earlier = this.#earlier;
    if (call.seen_at <= (earlier?.seen_at ?? this.#startedAt)) return false;
    this.#earlier = call;
    return earlier !== undefined && call.applied_seq - earlier.applied_seq < MAX_CHANGES;
  }
}
