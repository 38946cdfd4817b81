import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { LogInPostgres } from "../../../../test/request-log/log-in-postgres.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import type { AttributionDimension } from "../../../money/attribution.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";
import { DayReader } from "../day-reader.ts";
import { POSTGRES } from "../log-dialect.ts";
import { CHUNK_ROWS } from "../request-rows.ts";
import { LogPartitions } from "./log-partitions.ts";
import { PartitionNames } from "./partition-names.ts";
import { PostgresLogDatabase } from "./postgres-log-database.ts";

/** At least two complete chunks, wherever the first chunk begins. */
const REQUESTS = 3 * CHUNK_ROWS + 100;

describe.skipIf(!hasPostgres)("the filters of names of the request log in PostgreSQL", () => {
  const postgres = postgresFixture();
  let pool: PostgresPool;
  let log: LogInPostgres;
  let day: string;

  /** Notes requests whose end user is named after their position, in batches as the log receives them. */
  beforeEach(async () => {
    ({ pool } = await postgres.open());
    log = new LogInPostgres(pool);
    for (let at = 0; at < REQUESTS; at++) {
      const attribution = at % 3 === 0 ? undefined : { user: `user-${at}`, tags: { team: at === 5000 ? "rare" : "search" } };
      log.note({ notes: { attribution } });
      if (at % 1000 === 0) await log.store.list({}, undefined, "older", 0);
    }
    await log.store.list({}, undefined, "older", 0);
    day = (await new LogPartitions(pool).all()).find(({ lastRow }) => lastRow !== null)!.day;
  });
  afterEach(() => log.remove());

  const advance = async (): Promise<void> => new PartitionNames(pool).advance(await new LogPartitions(pool).all());

  async function usersFound(dimension: AttributionDimension, name: string): Promise<(string | undefined)[]> {
    const found = await log.store.list({ attributed: [{ dimension, names: [name] }] }, undefined, "older", 10);
    return found.map(({ request }) => request.attribution?.user);
  }

  async function erase(name: string): Promise<void> {
    const found = await log.store.list({ attributed: [{ dimension: "user", names: [name] }] }, undefined, "older", 10);
    await log.store.erase(found.map((each) => ({ ...each, attribution: { user: "erased" }, deletesBodies: false })));
  }

  /** The chunks that a search for an end user reads. */
  const chunksRead = (name: string): Promise<number[]> =>
    new DayReader(new PostgresLogDatabase(pool, new LogPartitions(pool), { lastDay: () => undefined }), day).chunks(
      { attributed: [{ dimension: "user", names: [name] }] },
      undefined,
      "newer",
    );

  async function check(): Promise<void> {
    for (const at of [1, 1402, 4201, 7001, 8402, 12_002]) expect(await usersFound("user", `user-${at}`)).toEqual([`user-${at}`]);
    expect(await usersFound("tag:team", "rare")).toEqual(["user-5000"]);
    expect(await usersFound("user", "nobody")).toEqual([]);
    expect((await usersFound("user", "none")).length).toBe(10);
  }

  test("leave a search the chunks that may have a name, and the last one", async () => {
    await check();
    const all = await chunksRead("nobody");
    expect(all.length).toBeGreaterThanOrEqual(4);
    await advance();
    await check();
    expect(await chunksRead("none")).toEqual(all);
    expect(await chunksRead("nobody")).toEqual(all.slice(-1));
    const [chunk, ...others] = await chunksRead("user-5000");
    expect(others).toEqual(all.slice(-1));
    // A name that is missing in the filter of its chunk is not found, which proves that the chunk is not read.
    const smuggle = `update ${POSTGRES.tablesOf(day).requests} set attribution = $1 where row = $2::bigint`;
    await pool.query(smuggle, [JSON.stringify({ user: "smuggled" }), chunk! * CHUNK_ROWS + 7]);
    expect(await usersFound("user", "smuggled")).toEqual([]);
  });

  test("are gone where a name was erased, also where they are written later, and the names of a day with the day", async () => {
    await erase("user-5000");
    await advance();
    await erase("user-8402");
    await advance();
    for (const name of ["user-5000", "user-8402"]) expect([name, await usersFound("user", name)]).toEqual([name, []]);
    expect(await usersFound("user", "erased")).toEqual(["erased", "erased"]);
    const { names } = POSTGRES.tablesOf(day);
    const rows = await pool.query<{ count: number }>(`select count(*)::integer as count from ${names} where bits is null`);
    expect(rows[0]!.count).toBe(2);
    // These chunks are read.
    expect((await chunksRead("nobody")).length).toBe(3);

    await new LogPartitions(pool).drop(day);
    expect([...(await pool.query("select to_regclass($1)::text as found", [names]))]).toEqual([{ found: null }]);
  });
});
