import type { Change } from "../../../access/change.ts";
import type { Database } from "../../database.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { recordChange } from "../../record-change.ts";
import type { InstanceRecord, InstanceStatus, InstanceStore } from "../instance-store.ts";
import type { CapsOf } from "../leases/purse-state.ts";
import { endInstance } from "./end-instance.ts";
import { reportInstances, type InstanceReport } from "./instance-rows.ts";
import { LOST_AFTER } from "./locked-purses.ts";

interface PostgresInstanceOptions {
  readonly pool: PostgresPool;
  /** Writes the audit log. */
  readonly database: Database;
  readonly capsOf: CapsOf;
  /** The id of this process, new at each start. */
  readonly instanceId: string;
}

const REPORT_EVERY_MS = 1000;

interface StatusRow {
  readonly id: string;
  readonly started_at_ms: bigint;
  readonly silent_ms: number;
  readonly host: string | null;
  readonly pid: number;
  readonly version: string;
  readonly role: InstanceStatus["role"];
  readonly in_flight: number;
  readonly connections: number;
  readonly memory_bytes: bigint;
  readonly draining: boolean;
  readonly config_digest: string | null;
  readonly has_declared_file: boolean | null;
}

/** Uses the database's clock, like every time that is compared between machines. */
const REPORT = `insert into instance_status as s (id, host, pid, version, role, in_flight, connections, memory_bytes, draining, config_digest,
    started_at)
  values ($1, $2, $3::integer, $4, $5, $6::integer, $7::integer, $8::bigint, $9::boolean, $10, authority_now())
  on conflict (id) do update set in_flight = excluded.in_flight, connections = excluded.connections,
    memory_bytes = excluded.memory_bytes, draining = excluded.draining, config_digest = excluded.config_digest`;

const READ = `select i.id, floor(extract(epoch from coalesce(s.started_at, i.joined_at)) * 1000)::bigint as started_at_ms,
    greatest(extract(epoch from authority_now() - i.seen_at) * 1000, 0)::float8 as silent_ms,
    s.host, s.pid, s.version, s.role, s.in_flight, s.connections, s.memory_bytes, s.draining, s.config_digest,
    s.config_digest = (select digest from declared_file) as has_declared_file
  from instances i left join instance_status s on s.id = i.id
  where case when $1::text is null then i.state <> 'closed' else i.id = $1 end`;

const HAS_CONFIG_FILE = `select 1 from instances i left join instance_status s on s.id = i.id
  where i.state = 'live' and i.seen_at >= authority_now() - ${LOST_AFTER} and (s.config_digest = $1 or i.id = $2) limit 1`;

const FORGET = "delete from instance_status where id = $1";

/** The processes that share a database in PostgreSQL. */
export class PostgresInstanceStore implements InstanceStore {
  readonly #options: PostgresInstanceOptions;
  #timer: Timer | undefined;
  #reporting: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: PostgresInstanceOptions) {
    this.#options = options;
  }

  report(status: () => InstanceStatus): void {
    this.#reporting = this.#write(REPORT, toParameters(this.#options.instanceId, status())).finally(() => {
      if (!this.#isClosed) this.#timer = setTimeout(() => this.report(status), REPORT_EVERY_MS).unref();
    });
  }

  async list(): Promise<readonly InstanceRecord[]> {
    const records = await this.#read(undefined);
    return records.toSorted((one, other) => one.startedAtMs - other.startedAtMs || (one.id < other.id ? -1 : 1));
  }

  async find(id: string): Promise<InstanceRecord | undefined> {
    return (await this.#read(id))[0];
  }

  async hasConfigFile(digest: string, declaredBy: string): Promise<boolean> {
    return (await this.#options.pool.query(HAS_CONFIG_FILE, [digest, declaredBy])).length > 0;
  }

  async writeOff(id: string, change: Change): Promise<void> {
    const { pool, database, capsOf } = this.#options;
    const { sql, parameters } = recordChange(database, change).compile();
    await endInstance(pool, capsOf, id, "written_off", [sql, parameters]);
  }

  /** Forgets the status of this process after it has ended in the ledger. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // If the report were executed after the deletion, its row would stay.
    await this.#reporting;
    await this.#write(FORGET, [this.#options.instanceId]);
  }

  async #read(id: string | undefined): Promise<InstanceRecord[]> {
    const { pool } = this.#options;
    const [reports, rows] = await Promise.all([reportInstances(pool, id), pool.query<StatusRow>(READ, [id ?? null])]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return reports.flatMap((report) => toRecord(report, byId.get(report.id)) ?? []);
  }

  /** Background work: if the database is away, the ledger reports it. */
  async #write(text: string, parameters: readonly unknown[]): Promise<void> {
    await this.#options.pool.query(text, parameters).catch(() => undefined);
  }
}

function toParameters(id: string, status: InstanceStatus): unknown[] {
  const { host, pid, version, role, inFlight, connections, memoryBytes, isDraining, configDigest } = status;
  return [id, host, pid, version, role, inFlight, connections, memoryBytes, isDraining, configDigest ?? null];
}

/** Undefined for a process that has ended since, or that has just joined. */
function toRecord({ id, state, leases, openHolds, heldNanos }: InstanceReport, row: StatusRow | undefined): InstanceRecord | undefined {
  if (state === "closed" || !row) return undefined;
  const { silent_ms: silentMs, started_at_ms: startedAtMs } = row;
  const hasDeclaredFile = row.has_declared_file ?? undefined;
  return { id, state, startedAtMs: Number(startedAtMs), silentMs, leases, openHolds, heldNanos, hasDeclaredFile, status: toStatus(row) };
}

function toStatus(row: StatusRow): InstanceRecord["status"] {
  const { host, pid, version, role, connections } = row;
  if (host === null) return undefined;
  return {
    host,
    pid,
    version,
    role,
    inFlight: row.in_flight,
    connections,
    memoryBytes: Number(row.memory_bytes),
    isDraining: row.draining,
    configDigest: row.config_digest ?? undefined,
  };
}
