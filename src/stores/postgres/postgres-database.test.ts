import { beforeEach, describe, expect, test } from "bun:test";
import { eventually } from "../../../test/support/eventually.ts";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import { outsideWork } from "../../../test/support/postgres/second-connection.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { StorageUnavailable } from "../../requests/storage-unavailable.ts";
import type { RecordCache, RecordReader } from "../database.ts";
import type { OpenPostgres } from "./open-postgres.ts";
import { PostgresPool } from "./postgres-pool.ts";

/** A minimal copy in memory of `key_uses`. */
class Uses implements RecordCache {
  readonly times = new Map<string, number>();
  readonly registered: Promise<void>;
  readonly #process: OpenPostgres;

  constructor(process: OpenPostgres) {
    this.#process = process;
    this.registered = process.database.cache("key", this);
  }

  /** Called when rows were read, before they are in force. */
  haveRead: () => Promise<void> = async () => undefined;

  async reload(ids: readonly string[] | "all", reader: RecordReader): Promise<void> {
    const all = reader.selectFrom("key_uses").selectAll();
    const rows = await (ids === "all" ? all : all.where("key_id", "in", ids)).execute();
    await this.haveRead();
    if (ids === "all") this.times.clear();
    for (const row of rows) this.times.set(row.key_id, row.last_used_at_ms);
  }

  /** Adds one to the time of a key. */
  count(id: string): Promise<object> {
    const { database } = this.#process;
    return database.change(
      "key",
      [id],
      () => ({ time: (this.times.get(id) ?? 0) + 1 }),
      ({ time }) => ({
        statements: [
          database
            .insertInto("key_uses")
            .values({ key_id: id, last_used_at_ms: time })
            .onConflict((conflict) => conflict.column("key_id").doUpdateSet({ last_used_at_ms: time })),
        ],
        apply: () => this.times.set(id, time),
        applyUnwritten: () => this.times.set(id, -1),
      }),
    );
  }
}

describe.skipIf(!hasPostgres)("PostgresDatabase", () => {
  const postgres = postgresFixture();
  let first: Uses;
  let second: Uses;
  let processes: OpenPostgres[];
  let url: Secret;

  beforeEach(async () => {
    const one = await postgres.open();
    url = one.url;
    processes = [one, await postgres.open(url)];
    [first, second] = [new Uses(processes[0]!), new Uses(processes[1]!)];
    await Promise.all([first.registered, second.registered]);
  });

  test("concurrent changes of several processes are made one after another, each on the result of the one before", async () => {
    await Promise.all(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? first : second).count("a")));
    await Promise.all(processes.map(({ feed }) => feed.refresh()));
    expect([first.times.get("a"), second.times.get("a")]).toEqual([40, 40]);
  });

  test("a change takes effect in other processes by a notice", async () => {
    for (const { feed } of processes) await feed.start();
    await first.count("a");
    expect(first.times.get("a")).toBe(1);
    await eventually(
      () => second.times.get("a"),
      (time) => time === 1,
    );
  });

  test("a record that was read before a change of this process does not replace it", async () => {
    await first.count("a");
    const hasRead = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    second.haveRead = () => (hasRead.resolve(), mayGoOn.promise);
    const refreshing = processes[1]!.feed.refresh();
    await hasRead.promise;
    const changing = Promise.all([first.count("a"), second.count("a")]);
    mayGoOn.resolve();
    await Promise.all([refreshing, changing]);
    await processes[1]!.feed.refresh();
    expect(second.times.get("a")).toBe(3);
  });

  test("the feed is read while a change waits for the lock of another process", async () => {
    const [{ pool, feed }] = processes as [OpenPostgres];
    const changing = await pool.transaction(async (connection) => {
      await connection.query("select version from feed_head for update");
      const waiting = outsideWork(() => first.count("a"));
      await outsideWork(async () => {
        await eventually(
          () => pool.query("select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"),
          ({ length }) => length > 0,
        );
        await feed.refresh();
      });
      expect(first.times.has("a")).toBe(false);
      return { waiting };
    });
    await changing.waiting;
    expect(first.times.get("a")).toBe(1);
  });

  test("an error for a role that cannot read the tables says that nothing was migrated", async () => {
    await processes[0]!.pool.query("create role stranger login");
    const [opened] = await Promise.allSettled([postgres.open(new Secret(url.reveal().replace("//tollgate@", "//stranger@")))]);
    expect(opened).toMatchObject({ reason: { name: "CannotMigrate", message: expect.stringContaining("is unchanged") as string } });
  });

  test("the server ends a transaction whose process has stopped", async () => {
    const { pool } = processes[0]!;
    const rows = await pool.transaction((connection) => connection.query("show idle_in_transaction_session_timeout"));
    expect([...rows]).toEqual([{ idle_in_transaction_session_timeout: "30s" }]);
  });

  test("nothing is written where make throws, or has nothing to change", async () => {
    const { database } = processes[0]!;
    const failing = database.change(
      "key",
      ["a"],
      () => {
        throw new RangeError("no");
      },
      () => ({ statements: [], apply: () => undefined }),
    );
    expect((await Promise.allSettled([failing]))[0]).toMatchObject({ reason: { name: "RangeError" } });
    expect(
      await database.change(
        "key",
        ["a"],
        () => undefined,
        () => ({ statements: [], apply: () => undefined }),
      ),
    ).toBeUndefined();
    await first.count("a");
    await processes[1]!.feed.refresh();
    expect(second.times.get("a")).toBe(1);
  });

  test("after a restore to before the last change, all records are read again, although versions are used again", async () => {
    await first.count("a");
    await processes[1]!.feed.refresh();
    const { pool } = processes[0]!;
    await pool.query("delete from key_uses");
    await pool.query("delete from feed");
    await pool.query("update feed_head set version = 0, nonce = 0");
    const uses = new Uses(await postgres.open(url));
    await uses.count("b");
    await processes[1]!.feed.refresh();
    expect([...second.times]).toEqual([["b", 1]]);
  });

  test("the feed stays short, and a process that has missed changes reads all records again", async () => {
    await first.count("a");
    const { pool } = processes[0]!;
    await pool.query("update feed_head set version = 20000");
    await first.count("b");
    expect((await pool.query<{ count: bigint }>("select count(*) as count from feed"))[0]!.count).toBe(1n);
    await processes[1]!.feed.refresh();
    expect([...second.times]).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
  });

  test("the connections of a pool are as many as it may have, and one more for all channels", async () => {
    const address = await postgres.server.createDatabase();
    const pool = new PostgresPool({ url: address, maxConnections: 2, timeoutMs: 30_000 });
    for (const channel of ["one", "two", "three"])
      await pool.listen(
        channel,
        () => undefined,
        () => undefined,
      );
    await Promise.all(Array.from({ length: 20 }, () => pool.query("select pg_sleep(0.01)")));
    const name = new URL(address.reveal()).pathname.slice(1);
    const text = "select count(*) as count from pg_stat_activity where datname = $1";
    expect((await processes[0]!.pool.query<{ count: bigint }>(text, [name]))[0]!.count).toBe(3n);
    await pool.close();
  });

  test("a database that is away is reported as such, what has to hold here holds, and later changes succeed", async () => {
    await postgres.server.kill();
    const [failed] = await Promise.allSettled([first.count("a")]);
    expect(failed).toMatchObject({ status: "rejected", reason: expect.any(StorageUnavailable) });
    expect(first.times.get("a")).toBe(-1);
    await postgres.server.restart();
    await eventually(
      () => second.count("b").catch(() => undefined),
      (made) => made !== undefined,
    );
    expect(second.times.get("b")).toBe(1);
  });
});
