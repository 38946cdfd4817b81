import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { hold as sampleHold, settlement } from "../../../../test/support/money/ledger-samples.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { ACCOUNT, LedgerProcesses, type LedgerProcess } from "../../../../test/support/postgres/ledger-processes.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import type { Attribution } from "../../../money/attribution.ts";
import { NO_CAPS } from "../../../money/limits.ts";
import { dayAt, monthAt } from "../../../money/period-sums.ts";
import { purseKey, type Purse } from "../../../money/purse.ts";
import { readBalances } from "../postgres-records/read-balances.ts";
import { LedgerMaintenance } from "./ledger-maintenance.ts";
import { readBreakdowns } from "./known-breakdowns.ts";

const USERS = ["ada", "bob", "none"];
const purseOf = (user: string): Purse => ({ scope: "user", id: `account:acme:${user}` });
const purseOfTag = (tag: string): Purse => ({ scope: "tag", id: `account:acme:${tag}=ada` });
const attributionOf = (user: string): Attribution | undefined => (user === "none" ? undefined : { user, tags: { team: user } });

describe.skipIf(!hasPostgres)("spending by end user in PostgreSQL", () => {
  const postgres = postgresFixture();
  let processes: LedgerProcesses;
  let requests = 0;
  beforeEach(async () => {
    processes = await LedgerProcesses.create(postgres);
    await processes.credit(1_000_000n);
  });
  afterEach(() => processes.close());

  async function charge({ store }: LedgerProcess, user: string, nanos: bigint, atMs = Date.now()): Promise<void> {
    const requestId = `r${++requests}`;
    while (store.availableOf(ACCOUNT) < nanos) await store.widen([ACCOUNT], nanos);
    await store.hold(sampleHold(requestId, nanos, { attribution: attributionOf(user), atMs }));
    await store.settle(requestId, settlement(nanos, { atMs }));
  }

  async function sumsOf(table: string): Promise<unknown> {
    return processes.rows(table);
  }

  const ROWS = "select id, month_nanos as nanos from purses where scope = 'user' and month_nanos > 0 order by id";
  const ENTRIES = `select 'account:acme:' || coalesce(attribution::json ->> 'user', 'none') as id, sum(amount_nanos)::bigint as nanos
    from entries where kind = 'settle' group by 1 order by 1`;

  test("is the sum of the entries, whenever counting begins while processes charge", async () => {
    const all = [await processes.open("p1"), await processes.open("p2")];
    const charging = all.map(async (each) => {
      for (let round = 0; round < 30; round++) await Promise.all(USERS.map((user, index) => charge(each, user, BigInt(round + index + 1))));
    });
    await charge(all[0]!, "ada", 1n);
    // The charging processes learn of the count from the database. The breakdown is added up once.
    await Promise.all([1, 2].map(() => processes.authority.ensureCounted(USERS.map(purseOf))));
    await Promise.all(charging);
    await Promise.all(all.map(({ store }) => store.shipAll()));
    expect(await sumsOf(ROWS)).toEqual(await sumsOf(ENTRIES));
    const { counted, version } = await readBreakdowns(processes.pool);
    expect([counted.all().length, version]).toEqual([1, 1n]);
    const { breakdowns } = await readBalances(processes.pool);
    expect(breakdowns.map(({ purse }) => purse.id).toSorted()).toEqual(USERS.map((user) => purseOf(user).id).toSorted());
  });

  test("is counted in one transaction of a process at a time", async () => {
    const process = await processes.open("p1");
    await charge(process, "ada", 10n);
    await process.store.shipAll();
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    // Every count first asks whether its breakdown is counted.
    const locking = processes.pool.transaction(async (connection) => {
      await connection.query("lock table counted_breakdowns");
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const counts = [purseOf("ada"), purseOfTag("team"), purseOf("bob"), purseOfTag("project")].map((purse) =>
      process.authority.ensureCounted([purse]),
    );
    const waiting = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await eventually(
      () => processes.rows(waiting),
      ({ length }) => length > 0,
    );
    // By now, every other statement that has to wait is waiting.
    await process.pool.query("select");
    expect(await processes.rows(waiting)).toHaveLength(1);
    release.resolve();
    await Promise.all([locking, ...counts]);
    expect((await readBreakdowns(processes.pool)).counted.all()).toHaveLength(3);
  });

  test("is the spending of the new day if counting begins just before midnight, and the charge is after it", async () => {
    const process = await processes.open("p1");
    const midnight = (dayAt(Date.now()) + 1) * 86_400_000;
    await charge(process, "ada", 70n, midnight + 100);
    await process.store.shipAll();
    await processes.pool.query("create sequence clock_reads");
    await processes.pool.query(`create or replace function authority_now() returns timestamptz language sql volatile as
      'select to_timestamp((${midnight} + case when nextval(''clock_reads'') = 1 then -100 else 200 end) / 1000.0)'`);
    await processes.authority.ensureCounted([purseOf("ada")]);
    const [row] = await processes.rows("select day, day_nanos, month, month_nanos from purses where scope = 'user'");
    expect(row).toEqual({ day: dayAt(midnight), day_nanos: 70n, month: monthAt(midnight), month_nanos: 70n });
  });

  test("is not leased before it is counted, and then within the spend cap less what was spent", async () => {
    const process = await processes.open("p1");
    await charge(process, "ada", 70n);
    await process.store.shipAll();
    const purse = purseOf("ada");
    processes.caps[purseKey(purse)] = { ...NO_CAPS, dayNanos: 100n };
    const lease = { kind: "lease", purse, bound: "at_least", nanos: 50n } as const;
    const { epoch } = await processes.authority.join("other");
    const shipped = await processes.authority.ship({ instanceId: "other", epoch, changes: [{ ...lease, id: 1 }], progress: new Map() });
    expect(shipped.purses).toMatchObject([{ leaseNanos: 0n }]);
    await process.store.widen([purse], 50n);
    expect(process.store.availableOf(purse)).toBe(30n);
    const { dayNanos, monthNanos } = process.store.spendingOf("user", purse.id, Date.now());
    expect([dayNanos, monthNanos]).toEqual([70n, 70n]);
  });

  test("is not counted any more without a spend cap, counted again with one, and deleted when its month is over", async () => {
    const process = await processes.open("p1");
    const maintain = async (nowMs = Date.now()): Promise<void> => {
      const instances = { find: async () => undefined, writeOff: () => Promise.reject(new Error("nobody is lost")) };
      const capsOf = ({ id }: Purse): typeof NO_CAPS => processes.caps[id] ?? NO_CAPS;
      const options = { pool: processes.pool, instances, capsOf, isLeader: () => true, nowMs: () => nowMs, report: () => undefined };
      await new LedgerMaintenance(options).run();
    };
    processes.caps["account:acme:none"] = { ...NO_CAPS, dayNanos: 1n };
    await processes.authority.ensureCounted([purseOf("ada")]);
    await charge(process, "ada", 10n);
    await process.store.shipAll();
    await maintain();
    expect(await sumsOf(ROWS)).toEqual(await sumsOf(ENTRIES));
    delete processes.caps["account:acme:none"];
    await maintain();
    await charge(process, "ada", 20n);
    await process.store.shipAll();
    expect(await sumsOf(ROWS)).toEqual([{ id: "account:acme:ada", nanos: 10n }]);
    await process.authority.ensureCounted([purseOf("ada")]);
    expect(await sumsOf(ROWS)).toEqual([{ id: "account:acme:ada", nanos: 30n }]);
    const [row] = await processes.rows("select day, month from purses where scope = 'user'");
    expect(row).toEqual({ day: dayAt(Date.now()), month: monthAt(Date.now()) });
    await maintain(Date.now() + 40 * 86_400_000);
    expect(await sumsOf(ROWS)).toEqual([]);
  });
});
