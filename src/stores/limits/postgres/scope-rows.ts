import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import { WINDOW_LIMITS } from "../../../money/limits.ts";
import type { Liveness } from "../decide-admission.ts";
import type { ScopeName } from "../limit-store.ts";
import type { SharedCounters } from "../shared-counters.ts";
import { loadCounters, saveCounters } from "./saved-counters.ts";

/**
 * How long after its last heartbeat a process may use its slices. After that they count as used, and its requests do not count as
 * concurrent.
 */
export const LOST_AFTER_MS = 10_000;

/** How long after their last use lost processes and idle counters are removed. */
export const REMOVED_AFTER_MS = 5 * 60_000;

/**
 * After this time a process is asked whether it is live before a request is rejected because of its slots. If it does not answer, it is
 * silent.
 */
const IN_DOUBT_AFTER_MS = 250;
const SILENT_AFTER_MS = 3000;

/** A process as the database has it. */
interface ProcessRow {
  readonly id: string;
  readonly seen_at_ms: number;
  /** The process has no leases up to this number: it has given them up, or has not received them. */
  readonly void_lease: bigint;
}

interface ScopeRow extends ScopeName {
  readonly state: string;
}

const LOCK_SCOPES = `select kind, id, state from limit_scopes
  where (kind, id) in (select * from unnest($1::text[], $2::text[])) order by kind, id for update`;
const READ_PROCESSES = "select id, (extract(epoch from seen_at) * 1000)::float8 as seen_at_ms, void_lease from limit_processes";
const READ_HEAD = `select (select nonce from limit_head) as nonce, (extract(epoch from authority_now()) * 1000)::float8 as now_ms`;

/** The counters of some scopes, which are locked until the transaction ends. */
export class ScopeRows {
  /** The database's clock, in whole milliseconds, after the scopes were locked. */
  readonly nowMs: number;
  /** Changes after a crash of the server. Undefined if no process has joined since. */
  readonly nonce: string | undefined;
  readonly #counters: ReadonlyMap<string, { readonly name: ScopeName; readonly counters: SharedCounters }>;
  readonly #processes: ReadonlyMap<string, ProcessRow>;
  readonly #changed = new Set<SharedCounters>();

  private constructor(rows: readonly ScopeRow[], processes: readonly ProcessRow[], head: { nonce: string | null; now_ms: number }) {
    this.nowMs = Math.floor(head.now_ms);
    this.nonce = head.nonce ?? undefined;
    this.#processes = new Map(processes.map((each) => [each.id, each]));
    this.#counters = new Map(
      rows.map(({ kind, id, state }) => [keyOf({ kind, id }), { name: { kind, id }, counters: loadCounters(state, this.nowMs) }]),
    );
    for (const { counters } of this.#counters.values()) this.#dropLost(counters);
  }

  static async lock(connection: PostgresConnection, names: readonly ScopeName[]): Promise<ScopeRows> {
    const scopes = [...new Map(names.map((name) => [keyOf(name), name])).values()];
    const columns = [scopes.map(({ kind }) => kind), scopes.map(({ id }) => id)];
    const created = connection.query(
      "insert into limit_scopes (kind, id) select * from unnest($1::text[], $2::text[]) order by 1, 2 on conflict do nothing",
      columns,
    );
    // In this order, so that the processes and the time are read after the locks were taken.
    const [, rows, processes, head] = await Promise.all([
      created,
      connection.query<ScopeRow>(LOCK_SCOPES, columns),
      connection.query<ProcessRow>(READ_PROCESSES),
      connection.query<{ nonce: string | null; now_ms: number }>(READ_HEAD),
    ]);
    return new ScopeRows(rows, processes, head[0]!);
  }

  /** The number of processes that share the limits. */
  get processes(): number {
    return this.#processes
      .keys()
      .filter((id) => this.isLive(id))
      .toArray().length;
  }

  isLive(processId: string): boolean {
    const seenAtMs = this.#processes.get(processId)?.seen_at_ms;
    return seenAtMs !== undefined && seenAtMs + LOST_AFTER_MS > this.nowMs;
  }

  livenessOf(processId: string): Liveness {
    const silentMs = this.nowMs - (this.#processes.get(processId)?.seen_at_ms ?? -Infinity);
    if (silentMs > SILENT_AFTER_MS) return "silent";
    return silentMs > IN_DOUBT_AFTER_MS ? "in_doubt" : "live";
  }

  of(name: ScopeName): SharedCounters {
    return this.#counters.get(keyOf(name))!.counters;
  }

  /** The counters of a scope, marked as changed. */
  change(name: ScopeName): SharedCounters {
    const counters = this.of(name);
    this.#changed.add(counters);
    return counters;
  }

  async save(connection: PostgresConnection): Promise<void> {
    const rows = [...this.#counters.values()].filter(({ counters }) => this.#changed.has(counters));
    if (rows.length === 0) return;
    await connection.query(
      `update limit_scopes set state = saved.state, is_busy = saved.is_busy, idle_at = authority_now() + saved.reset_ms * interval '1 ms'
        from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::float8[]) as saved (kind, id, state, is_busy, reset_ms)
        where limit_scopes.kind = saved.kind and limit_scopes.id = saved.id`,
      [
        rows.map(({ name }) => name.kind),
        rows.map(({ name }) => name.id),
        rows.map(({ counters }) => saveCounters(counters, this.nowMs)),
        rows.map(({ counters }) => counters.leases.size + counters.open.size > 0),
        rows.map(({ counters: { counters } }) => Math.max(...WINDOW_LIMITS.map((_, at) => counters.resetMs(at, this.nowMs)))),
      ],
    );
  }

  #dropLost(counters: SharedCounters): void {
    for (const [processId, { number }] of counters.leases) {
      const process = this.#processes.get(processId);
      if (!process || BigInt(number) > process.void_lease) continue;
      counters.leases.delete(processId);
      this.#changed.add(counters);
    }
    for (const processId of new Set([...counters.leases.keys(), ...counters.open.keys()])) {
      if (this.isLive(processId)) continue;
      const lostAtMs = (this.#processes.get(processId)?.seen_at_ms ?? -Infinity) + LOST_AFTER_MS;
      counters.lose(processId, Math.max(Math.floor(lostAtMs), this.nowMs - REMOVED_AFTER_MS), this.nowMs);
      this.#changed.add(counters);
    }
  }
}

function keyOf({ kind, id }: ScopeName): string {
  return `${kind} ${id}`;
}
