import { expect } from "bun:test";
import type { Entry, HoldEntry } from "../../src/money/ledger-entry.ts";
import type { PurseTerms } from "../../src/money/credit-line.ts";
import { dayAt, monthAt } from "../../src/money/period-sums.ts";
import { type Purse, purseKey } from "../../src/money/purse.ts";
import type { JoinReply, ShipmentReply } from "../../src/stores/ledger/leases/authority.ts";
import type { Instance } from "../../src/stores/ledger/leases/instance.ts";
import type { ProcessChange } from "../../src/stores/ledger/leases/process-change.ts";
import type { Balance, Progress } from "../../src/stores/ledger/ledger-store.ts";
import { bookCredit } from "../../src/stores/ledger/postgres/book-credit.ts";
import { PostgresAuthority } from "../../src/stores/ledger/postgres/postgres-authority.ts";
import { toProgressStatement } from "../../src/stores/ledger/postgres/write-set.ts";
import type { PostgresPool } from "../../src/stores/postgres/postgres-pool.ts";
import { initialCaps } from "./authority.ts";
import { isChargeOf, USER } from "./keys-and-requests.ts";
import { lineOf, type ModelledAuthority } from "./modelled-authority.ts";

const TABLES = [
  "ledger_head",
  "entries",
  "purses",
  "leases",
  "recalls",
  "instances",
  "open_holds",
  "answers",
  "counted_breakdowns",
] as const;
const SNAPSHOT = TABLES.map((table) => `(select coalesce(json_agg(t), '[]')::text from ${table} t) as ${table}`).join(", ");
const KEPT_SNAPSHOTS = 8;

/** The rows of each table, as JSON. */
type Snapshot = Readonly<Record<(typeof TABLES)[number], string>>;

interface EntryRow {
  readonly id: number;
  readonly kind: Entry["kind"];
  readonly account_id: string;
  readonly key_id: string | null;
  readonly amount_nanos: bigint;
  readonly at_ms: number;
  readonly request_id: string | null;
  readonly reference: string | null;
  readonly hold_id: number | null;
}

interface PurseSums {
  readonly scope: Purse["scope"];
  readonly id: string;
  readonly credit_nanos: bigint;
  readonly leased_nanos: bigint;
  readonly day: number;
  readonly day_nanos: bigint;
  readonly month: number;
  readonly month_nanos: bigint;
  readonly total_nanos: bigint;
}

interface State {
  readonly entries: readonly EntryRow[];
  readonly purses: readonly PurseSums[];
  readonly leases: readonly { scope: Purse["scope"]; id: string; instance_id: string; nanos: bigint }[];
  readonly instances: readonly { id: string; epoch: number; applied_seq: number; state: Instance["state"] }[];
  readonly open_holds: readonly { request_id: string; hold_id: number; account_id: string; amount_nanos: bigint }[];
}

/** The authority in PostgreSQL, with the clock of the history. After every operation its tables are read, and compared with the entries. */
export class PostgresModelAuthority implements ModelledAuthority {
  nowMs = Date.parse("2027-03-10T12:00:00Z");
  readonly caps: Record<string, PurseTerms> = initialCaps();
  readonly progress = new Map<string, Progress>();
  readonly #pool: PostgresPool;
  readonly #authority: PostgresAuthority;
  #snapshots: Snapshot[] = [];
  #state!: State;
  #credits = 0;
  /** The current time of the database. */
  #setMs = 0;

  private constructor(pool: PostgresPool) {
    this.#pool = pool;
    this.#authority = new PostgresAuthority({ pool, capsOf: (purse) => this.caps[purseKey(purse)]! });
  }

  /** Replaces the clock of the database with the clock of the history. */
  static async prepare(pool: PostgresPool): Promise<void> {
    await pool.query("create table model_clock (ms bigint not null)");
    await pool.query("insert into model_clock values (0)");
    await pool.query(`create or replace function authority_now() returns timestamptz language sql volatile as
      'select to_timestamp(ms / 1000.0) from model_clock'`);
  }

  /** Creates an authority without entries. */
  static async empty(pool: PostgresPool): Promise<PostgresModelAuthority> {
    const deletions = TABLES.slice(1).map((table) => `${table}_deleted as (delete from ${table})`);
    await pool.query(`with ${deletions.join(", ")} update ledger_head set last_id = 0, breakdowns_version = 0`);
    return new PostgresModelAuthority(pool);
  }

  async join(instanceId: string): Promise<JoinReply> {
    return this.#operate(() => this.#authority.join(instanceId));
  }

  async apply(instanceId: string, epoch: number, changes: readonly ProcessChange[]): Promise<ShipmentReply> {
    const isAsked = changes.some((change) => change.kind === "lease" && purseKey(change.purse) === purseKey(USER));
    return this.#operate(async () => {
      if (isAsked) await this.#authority.ensureCounted([USER]);
      return this.#authority.ship({ instanceId, epoch, changes, progress: this.progress });
    });
  }

  async end(instanceId: string, state: "closed" | "written_off"): Promise<void> {
    // The progress that was reported since the last shipment.
    if (this.progress.size > 0) await this.#pool.query(...toProgressStatement(instanceId, this.progress));
    await this.#operate(() => this.#authority.end(instanceId, state));
  }

  async lose(instanceId: string): Promise<void> {
    const text = "update instances set seen_at = authority_now() - interval '31 seconds' where id = $1";
    await this.#operate(() => this.#pool.query(text, [instanceId]));
  }

  async credit(accountId: string, amountNanos: bigint): Promise<void> {
    const kind = amountNanos < 0n ? "adjustment" : "grant";
    const reference = `credit ${++this.#credits}`;
    const credit = { kind, accountId, amountNanos, atMs: this.nowMs, actor: "operator", reason: "", reference } as const;
    await this.#operate(() => this.#pool.transaction((connection) => bookCredit(connection, credit)));
  }

  /** Nothing to do: the database has all state. */
  restart(): void {}
  start(): void {}

  async restore(back: number): Promise<void> {
    this.#snapshots.length = Math.min(this.#snapshots.length, Math.max(1, this.#snapshots.length - back));
    await this.#write(this.#snapshots.at(-1)!);
    this.#state = toState(this.#snapshots.at(-1)!);
  }

  get entries(): readonly Entry[] {
    return this.#state.entries.map(toEntry);
  }

  find(instanceId: string): Instance | undefined {
    const row = this.#state.instances.find(({ id }) => id === instanceId);
    return row && { id: row.id, epoch: row.epoch, appliedSeq: row.applied_seq, state: row.state };
  }

  isUnstated(): boolean {
    return false;
  }

  /** Computed from the entries, not from the totals of the purse. */
  freeOf(purse: Purse): bigint | undefined {
    const { credit, day, month, total } = this.#sumsOf(purse);
    const { dayNanos, monthNanos, totalNanos } = this.caps[purseKey(purse)]!;
    const amounts = purse.scope === "account" ? [credit + lineOf(this, purse.id)] : [];
    if (dayNanos !== null) amounts.push(dayNanos - day);
    if (monthNanos !== null) amounts.push(monthNanos - month);
    if (totalNanos !== null) amounts.push(totalNanos - total);
    return amounts.length === 0 ? undefined : amounts.reduce((a, b) => (a < b ? a : b)) - this.leasedOf(purse);
  }

  leaseOf(instanceId: string, { scope, id }: Purse): bigint {
    const isIt = (lease: State["leases"][number]): boolean => lease.instance_id === instanceId && lease.scope === scope && lease.id === id;
    return this.#state.leases.find(isIt)?.nanos ?? 0n;
  }

  leasedOf({ scope, id }: Purse): bigint {
    return sum(this.#state.leases.filter((lease) => lease.scope === scope && lease.id === id).map(({ nanos }) => nanos));
  }

  balanceOf(accountId: string): Balance {
    const held = this.#state.open_holds.filter(({ account_id: id }) => id === accountId).map(({ amount_nanos: nanos }) => nanos);
    const purse = this.#state.purses.find(({ scope, id }) => scope === "account" && id === accountId);
    return { creditNanos: purse?.credit_nanos ?? 0n, heldNanos: sum(held) };
  }

  get openHolds(): number {
    return this.#state.open_holds.length;
  }

  ownHolds(): readonly HoldEntry[] {
    return [];
  }

  async #operate<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (this.nowMs !== this.#setMs) await this.#pool.query("update model_clock set ms = $1::bigint", [this.nowMs]);
    this.#setMs = this.nowMs;
    const result = await operation();
    const [snapshot] = await this.#pool.query<Snapshot>(`select ${SNAPSHOT}`);
    this.#snapshots.push(snapshot!);
    if (this.#snapshots.length > KEPT_SNAPSHOTS) this.#snapshots.shift();
    this.#state = toState(snapshot!);
    this.#check(snapshot!);
    return result;
  }

  async #write(snapshot: Snapshot): Promise<void> {
    await this.#pool.transaction(async (connection) => {
      await connection.query(`truncate ${TABLES.join(", ")}`);
      for (const table of TABLES) {
        await connection.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::text::json)`, [
          snapshot[table],
        ]);
      }
    });
  }

  /** All other content of the tables must follow from the entries. */
  #check({ ledger_head: head }: Snapshot): void {
    const { entries, leases, open_holds: openHolds, purses } = this.#state;
    expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => index + 1));
    expect(JSON.parse(head)).toMatchObject([{ single: 1, last_id: entries.length }]);
    const open = new Map<string, number>();
    for (const { id, kind, request_id: requestId, hold_id: holdId } of entries) {
      if (kind === "hold") open.set(requestId!, id);
      if (holdId === null) continue;
      expect(open.get(requestId!)).toBe(holdId);
      open.delete(requestId!);
    }
    expect(new Map(openHolds.map(({ request_id: requestId, hold_id: holdId }) => [requestId, holdId]))).toEqual(open);
    for (const purse of purses) {
      const sumsOf = this.#sumsOf(purse);
      const { credit } = sumsOf;
      // The total spend of an end user since counting started is not used.
      const total = purse.scope === "user" ? purse.total_nanos : sumsOf.total;
      const [day, month] = [this.#spentIn(purse, dayAt, purse.day), this.#spentIn(purse, monthAt, purse.month)];
      const sums = [purse.credit_nanos, purse.day_nanos, purse.month_nanos, purse.total_nanos, purse.leased_nanos];
      expect([purseKey(purse), ...sums]).toEqual([purseKey(purse), credit, day, month, total, this.leasedOf(purse)]);
    }
    expect(
      leases.filter(({ nanos, scope, id }) => nanos === 0n || !purses.some((purse) => purse.scope === scope && purse.id === id)),
    ).toEqual([]);
  }

  #sumsOf(purse: Purse): Record<"credit" | "day" | "month" | "total", bigint> {
    const credits = this.#state.entries.filter(({ account_id: id, reference }) => reference !== null && id === purse.id);
    const total = this.#spentIn(purse, () => 0, 0);
    const credit = purse.scope === "account" ? sum(credits.map(({ amount_nanos: nanos }) => nanos)) - total : 0n;
    const [day, month] = [this.#spentIn(purse, dayAt, dayAt(this.nowMs)), this.#spentIn(purse, monthAt, monthAt(this.nowMs))];
    return { credit, day, month, total };
  }

  #spentIn({ scope, id }: Purse, periodAt: (ms: number) => number, period: number): bigint {
    const own = this.#state.entries.filter(
      (entry) =>
        entry.kind === "settle" &&
        isChargeOf({ scope, id }, { accountId: entry.account_id, keyId: entry.key_id! }) &&
        periodAt(entry.at_ms) === period,
    );
    return sum(own.map(({ amount_nanos: nanos }) => nanos));
  }
}

function toState({ entries, purses, leases, instances, open_holds }: Snapshot): State {
  const texts = { entries, purses, leases, instances, open_holds };
  const state = Object.fromEntries(Object.entries(texts).map(([table, text]) => [table, parseRows(text)])) as unknown as State;
  return { ...state, entries: state.entries.toSorted((a, b) => a.id - b.id) };
}

/** The fields of an entry that the checks of histories read. */
function toEntry(row: EntryRow): Entry {
  return {
    kind: row.kind,
    id: row.id,
    accountId: row.account_id,
    requestId: row.request_id,
    reference: row.reference,
    amountNanos: row.amount_nanos,
    atMs: row.at_ms,
  } as unknown as Entry;
}

/** Parses integers as bigints where needed: amounts exceed the exact range of a number. */
function parseRows(text: string): unknown {
  const quoted = text.replaceAll(/"(\w*nanos)":(-?\d+)/g, '"$1":"$2"');
  return JSON.parse(quoted, (key, value: unknown) => (key.endsWith("nanos") && typeof value === "string" ? BigInt(value) : value));
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((a, b) => a + b, 0n);
}
