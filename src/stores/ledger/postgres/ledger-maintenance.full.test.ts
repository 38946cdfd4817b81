import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, grant, hold as sampleHold, NOW } from "../../../../test/support/money/ledger-samples.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { ACCOUNT } from "../../../../test/support/postgres/ledger-processes.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import { NO_CAPS } from "../../../money/limits.ts";
import { StorageUnavailable } from "../../../requests/storage-unavailable.ts";
import type { Durability } from "../../database.ts";
import type { OpenPostgres } from "../../postgres/open-postgres.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { bookCredit } from "./book-credit.ts";
import { LedgerMaintenance } from "./ledger-maintenance.ts";
import { PostgresAuthority } from "./postgres-authority.ts";
import { PostgresInstanceStore } from "./postgres-instance-store.ts";
import { deleteOldReplies } from "./reply-rows.ts";

const TABLES = ["instances", "instance_status", "leases", "open_holds", "purses", "answers", "claims", "process_reports"];

describe.skipIf(!hasPostgres)("the maintenance of the ledger", () => {
  const postgres = postgresFixture();
  let open: OpenPostgres;
  let isLeader: boolean;
  let isAway: boolean;
  let maintenance: LedgerMaintenance;
  let reported: (string | undefined)[];

  beforeAll(async () => {
    open = await postgres.open();
  });
  beforeEach(async () => {
    for (const table of TABLES) await open.pool.query(`delete from ${table}`);
    [isLeader, isAway, reported] = [true, false, []];
    const pool = new Proxy(open.pool, {
      get: (target, name) =>
        name === "query" && isAway
          ? () => Promise.reject(new StorageUnavailable("unreachable", { cause: undefined }))
          : Reflect.get(target, name).bind(target),
    });
    maintenance = openMaintenance(pool);
  });

  function openMaintenance(pool: PostgresPool): LedgerMaintenance {
    const instances = new PostgresInstanceStore({ ...open, pool, capsOf: () => NO_CAPS, instanceId: "leader" });
    return new LedgerMaintenance({
      pool,
      instances,
      capsOf: () => NO_CAPS,
      isLeader: () => isLeader,
      nowMs: () => NOW,
      report: (failure) => void reported.push(failure),
    });
  }

  /** A process with a lease of 950 and a hold of 900 that was last seen this number of seconds ago. */
  async function lose(id: string, durability: Durability, seconds = 31): Promise<void> {
    const authority = new PostgresAuthority({ pool: open.pool, capsOf: () => NO_CAPS, own: { instanceId: id, durability } });
    await open.pool.transaction((connection) => bookCredit(connection, grant(1000n, { reference: crypto.randomUUID() })));
    const { epoch } = await authority.join(id);
    const lease = { kind: "lease", id: 1, purse: ACCOUNT, bound: "at_least", nanos: 950n } as const;
    const hold = { ...sampleHold(crypto.randomUUID(), 900n), kind: "hold" as const, id: 2 };
    await authority.ship({ instanceId: id, epoch, changes: [lease, hold], progress: new Map() });
    await open.pool.query("update instances set seen_at = authority_now() - $2::float8 * interval '1 second' where id = $1", [id, seconds]);
  }

  async function rounds(count: number): Promise<void> {
    for (let round = 0; round < count; round++) await maintenance.run();
  }

  async function stateOf(id: string): Promise<string | undefined> {
    return (await open.pool.query<{ state: string }>("select state from instances where id = $1", [id]))[0]?.state;
  }

  test("writes lost processes off whose charges are in the database, and records it in the audit log", async () => {
    await lose("gone", "cluster");
    await lose("stranded", "process");
    await lose("powered", "power");
    await rounds(2);
    expect(await stateOf("gone")).toBe("live");
    await rounds(5);
    expect(await Promise.all(["gone", "stranded", "powered"].map(stateOf))).toEqual(["written_off", "live", "live"]);
    expect([...(await open.pool.query("select instance_id, nanos from leases order by 1"))]).toEqual([
      { instance_id: "powered", nanos: 950n },
      { instance_id: "stranded", nanos: 950n },
    ]);
    const changes = await open.pool.query<{ actor: string; target_id: string; before: string; after: string }>(
      "select actor, target_id, before, after from changes where action = 'instance.write_off'",
    );
    expect(changes.map(({ actor, target_id: id, before }) => [actor, id, JSON.parse(before)])).toEqual([
      ["tollgate", "gone", { id: "gone", host: "", leased: "0.00000095", lease_count: 1, open_holds: 1, held: "0.0000009" }],
    ]);
    expect(JSON.parse(changes[0]!.after)).toEqual({ reason: expect.stringContaining("durability cluster") });
  });

  test("leaves a process alone that calls between two rounds, or was seen within 30 seconds", async () => {
    await lose("back", "cluster");
    await lose("ahead", "cluster", -3600);
    for (let round = 0; round < 5; round++) {
      await rounds(2);
      // The processes were silent for long in each check, as after an outage of the database, but never in three consecutive rounds.
      await open.pool.query("update instances set seen_at = seen_at - interval '1 second' where id = 'back'");
    }
    expect(await Promise.all(["back", "ahead"].map(stateOf))).toEqual(["live", "live"]);
  });

  test("begins again after rounds in which the database was away, or another process led", async () => {
    await lose("gone", "cluster");
    await rounds(2);
    isAway = true;
    await rounds(5);
    isAway = false;
    await rounds(2);
    isLeader = false;
    await rounds(5);
    isLeader = true;
    await rounds(2);
    expect(await stateOf("gone")).toBe("live");
    await rounds(1);
    expect(await stateOf("gone")).toBe("written_off");
    expect(reported).toEqual([]);
  });

  test("a write-off that fails does not keep others from it, is reported once, and is tried again", async () => {
    await lose("a", "cluster");
    await lose("b", "cluster");
    await open.pool.query(`create function refuse_a() returns trigger language plpgsql as
      $$ begin if new.id = 'a' then raise exception 'refused'; end if; return new; end $$`);
    await open.pool.query("create trigger refuse_a before update on instances for each row execute function refuse_a()");
    await rounds(6);
    expect(await Promise.all(["a", "b"].map(stateOf))).toEqual(["live", "written_off"]);
    expect(reported).toEqual(["the lost process a could not be written off: refused"]);
    await open.pool.query("drop trigger refuse_a on instances");
    await rounds(2);
    expect(await stateOf("a")).toBe("written_off");
    expect(reported.slice(1)).toEqual([undefined]);
  });

  test("deletes what processes have left that have ended, and nothing of those that live", async () => {
    await open.pool.query(`insert into instances (id, epoch, applied_seq, state, joined_at, seen_at) values
      ('live', 1, 0, 'live', now(), authority_now() - interval '2 days'), ('closed', 1, 0, 'closed', now(), authority_now()),
      ('long ago', 1, 0, 'closed', now(), authority_now() - interval '2 days'), ('off', 1, 0, 'written_off', now(), now() - interval '2 days')`);
    const all = "(values ('live'), ('closed'), ('long ago'), ('off'), ('unknown')) as p (id)";
    await open.pool
      .query(`insert into instance_status (id, host, pid, version, role, in_flight, connections, memory_bytes, draining, started_at)
      select id, '', 1, '', 'all', 0, 0, 0, false, now() from ${all}`);
    await open.pool.query(`insert into process_reports select id, '[]' from ${all}`);
    await open.pool.query(`insert into claims (scope, digest, request_id, instance_id, expires_at)
      select age || id, '', '', id, authority_now() + age::interval from ${all}, (values ('-1 s '), ('1 day ')) as a (age)`);
    await rounds(1);
    const left = async (column: string, table: string): Promise<string> => {
      const rows = await open.pool.query<{ id: string }>(`select ${column} as id from ${table} order by 1`);
      return rows.map(({ id }) => id).join(", ");
    };
    expect(await left("id", "instances")).toBe("closed, live, off");
    expect(await left("id", "instance_status")).toBe("live, off");
    expect(await left("instance_id", "process_reports")).toBe("live");
    expect(await left("instance_id", "claims where expires_at < authority_now()")).toBe("live");
    expect(await left("count(*)", "claims")).toBe("6");
  });

  test("replies that are too old, and the oldest beyond the space, are deleted some at a time", async () => {
    const add = `insert into answers (scope, digest, request_id, at_ms, headers, body)
      select 's' || at, 'd', 'r' || at, $1::bigint + at, '{}', 'four' from generate_series(0, 9) as at`;
    await open.pool.query(add, [NOW - DAY_MS - 4]);
    const deleteSome = async (totalBytes: number): Promise<[boolean, string]> => {
      const isMore = await deleteOldReplies(open.pool, NOW, { atOnce: 3, totalBytes });
      const left = await open.pool.query<{ scope: string }>("select scope from answers order by at_ms");
      return [isMore, left.map(({ scope }) => scope).join(" ")];
    };
    expect(await deleteSome(100)).toEqual([true, "s3 s4 s5 s6 s7 s8 s9"]);
    expect(await deleteSome(100)).toEqual([false, "s5 s6 s7 s8 s9"]);
    expect(await deleteSome(8)).toEqual([true, "s8 s9"]);
    expect(await deleteSome(8)).toEqual([false, "s8 s9"]);
  });

  test("beyond the space, an account loses its own replies, and no other account does", async () => {
    await open.pool.query("delete from keys");
    await open.pool.query(`insert into keys (id, name, hash, settings, created_at_ms, account_id)
      values ('k1', 'a', 'a', '{}', 0, 'victim'), ('k2', 'b', 'b', '{}', 0, 'attacker'), ('k3', 'c', 'c', '{}', 0, 'attacker')`);
    await open.pool.query(
      `insert into answers (scope, digest, request_id, at_ms, headers, body)
        select 'k' || (case when at < 3 then 1 else 2 + at % 2 end) || ':' || at, 'd', 'r' || at, $1::bigint + at, '{}', 'four' from generate_series(0, 19) as at`,
      [NOW - 1000],
    );
    await deleteOldReplies(open.pool, NOW, { atOnce: 500, totalBytes: 28 });
    const left = await open.pool.query<{ scope: string }>("select scope from answers order by at_ms");
    expect(left.map(({ scope }) => scope).join(" ")).toBe("k1:0 k1:1 k1:2 k2:16 k3:17 k2:18 k3:19");
    await open.pool.query("delete from keys");
  });

  test("deletes replies that are too old, all of them, and only where this process leads", async () => {
    await open.pool.query(
      `insert into answers (scope, digest, request_id, at_ms, headers, body)
        select 'old ' || at, 'd', 'r', $1::bigint, '{}', 'x' from generate_series(1, 1200) as at
        union all select 'new', 'd', 'r', $2::bigint, '{}', 'x'`,
      [NOW - DAY_MS, NOW - DAY_MS + 1],
    );
    const left = async (): Promise<number> => (await open.pool.query("select from answers")).length;
    isLeader = false;
    await rounds(1);
    expect(await left()).toBe(1201);
    isLeader = true;
    await rounds(1);
    expect(await left()).toBe(1);
  });
});
