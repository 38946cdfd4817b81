import { afterEach, describe, expect, test } from "bun:test";
import { eventually } from "../../../test/support/eventually.ts";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import type { OpenPostgres } from "../postgres/open-postgres.ts";
import { claimStoreContract } from "./claim-store.contract.ts";
import type { ClaimStore } from "./claim-store.ts";
import type { PostgresPool } from "../postgres/postgres-pool.ts";
import { SERVER_RUN } from "../postgres/server-run.ts";
import { PostgresClaimStore, type PostgresClaimOptions } from "./postgres-claim-store.ts";
import { claim, inFlight } from "../../../test/support/claims.ts";

const nothing = async (): Promise<void> => undefined;

/** Adds a process that has stated nothing, and is not lost for an hour. */
async function join(pool: PostgresPool, instanceId: string): Promise<void> {
  await pool.query(
    `insert into instances (id, epoch, applied_seq, state, joined_at, seen_at, stated_run)
      values ($1, 1, 0, 'live', authority_now(), authority_now() + interval '1 hour', '')`,
    [instanceId],
  );
}

/** Retries the claim, because claims are refused until all processes have stated theirs. */
async function claimSoon(store: ClaimStore, scope: string, requestId: string): Promise<void> {
  await eventually(
    () =>
      store.claim(scope, "d", requestId).then(
        (claimed) => "release" in claimed,
        () => false,
      ),
    (isClaimed) => isClaimed,
  );
}

describe.skipIf(!hasPostgres)("PostgresClaimStore", () => {
  const postgres = postgresFixture();
  const opened: PostgresClaimStore[] = [];

  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });

  /** Starts processes on a new database, each with its own pool. */
  async function start(
    count: number,
    options: Partial<PostgresClaimOptions> = {},
  ): Promise<{ database: OpenPostgres; stores: PostgresClaimStore[] }> {
    const database = await postgres.open();
    const stores: PostgresClaimStore[] = [];
    for (let at = 0; at < count; at++) {
      const instanceId = `i${at}`;
      const { pool } = at === 0 ? database : await postgres.open(database.url);
      await join(pool, instanceId);
      const store = new PostgresClaimStore({ pool, instanceId, shipAll: nothing, ...options });
      await store.start();
      stores.push(store);
      opened.push(store);
    }
    return { database, stores };
  }

  /** Kills and restarts the database server. Returns its new run. */
  async function restart({ pool }: OpenPostgres): Promise<string> {
    await postgres.server.kill();
    await postgres.server.restart();
    const run = await eventually(
      () =>
        pool
          .query<{ run: string }>(`select ${SERVER_RUN} as run`)
          .then(([row]) => row!.run)
          .catch(() => undefined),
      (found) => found !== undefined,
    );
    return run!;
  }

  /** The calls alternate between two processes. */
  claimStoreContract(
    "PostgresClaimStore of two processes",
    async () => {
      const { stores } = await start(2);
      let calls = 0;
      const store: ClaimStore = {
        claim: (...request) => stores[calls++ % 2]!.claim(...request),
        find: (scope) => stores[calls++ % 2]!.find(scope),
      };
      return { store, cleanUp: async () => undefined };
    },
    0.1,
  );

  test("a claim of a lost process is answered with a 503, also for a request that waits", async () => {
    const { database, stores } = await start(2);
    await claim(stores[0]!, "s", "r1");
    const { released } = await inFlight(stores[1]!, "s");
    await database.pool.query("update instances set seen_at = authority_now() - interval '11 seconds' where id = 'i0'");
    await released;
    const [result] = await Promise.allSettled([stores[1]!.claim("s", "d", "r2")]);
    expect(result).toMatchObject({ status: "rejected", reason: { code: "overloaded", status: 503, retryAfterSeconds: 1 } });
  });

  for (const state of ["closed", "written_off"]) {
    test(`a claim of a process whose journal is ${state} goes to the next request, once`, async () => {
      const { database, stores } = await start(3);
      const lost = await claim(stores[0]!, "s", "r1");
      await database.pool.query("update instances set state = $1 where id = 'i0'", [state]);
      const claims = await Promise.all([1, 2].flatMap((at) => [0, 1].map((n) => stores[at]!.claim("s", "d", `r${at}${n}`))));
      expect(claims.filter((each) => "release" in each)).toHaveLength(1);
      // The process comes back, and ends a claim that it no longer has.
      await lost.release();
      expect(await stores[0]!.find("s")).toBeDefined();
    });
  }

  test("a claim that ended while the database was away is released afterwards, and claims are rejected meanwhile", async () => {
    const { database, stores } = await start(2);
    const first = await claim(stores[0]!, "s", "r1");
    const { released } = await inFlight(stores[1]!, "s");
    await postgres.server.kill();
    await first.release();
    const [result] = await Promise.allSettled([stores[1]!.claim("other", "d", "r2")]);
    expect(result).toMatchObject({ status: "rejected", reason: { status: 503 } });
    const run = await restart(database);
    await released;
    for (const store of stores) store.stateClaimsInRun(run, false);
    await claimSoon(stores[1]!, "s", "r3");
  });

  test("after a start of the database no claim is granted before every process has stated its own, and none of them is lost", async () => {
    const shipped = Promise.withResolvers<void>();
    let isShipping = false;
    const { database, stores } = await start(2, { shipAll: () => (isShipping ? shipped.promise : nothing()) });
    const [one, two] = [stores[0]!, stores[1]!];
    const first = await claim(one, "s", "r1");
    await (await claim(two, "another", "r3")).release();
    isShipping = true;
    const run = await restart(database);
    // A restored database: the claim of the first process is missing, and a claim that has ended is back.
    await database.pool.query("delete from claims");
    await database.pool.query(
      "insert into claims select 'another', 'd', 'r3', 'i1', authority_now() union all select 's', 'd', 'r0', 'i1', authority_now()",
    );
    two.stateClaimsInRun(run, false);
    for (const scope of ["s", "another"]) {
      const [result] = await Promise.allSettled([two.claim(scope, "d", "r4")]);
      expect(result).toMatchObject({ status: "rejected", reason: { status: 503, retryAfterSeconds: 1 } });
    }
    one.stateClaimsInRun(run, false);
    shipped.resolve();
    await claimSoon(two, "another", "r5");
    expect(await two.find("s")).toMatchObject({ requestId: "r1" });
    await first.release();
    await claim(two, "s", "r6");
  });

  test("a process whose joining the database has lost, and that connects again late, is waited for", async () => {
    const waits: { ms: number; end: () => void }[] = [];
    const sleep = (ms: number): Promise<void> => new Promise((end) => void waits.push({ ms, end }));
    const { database, stores } = await start(2, { sleep });
    const [known, forgotten] = [stores[0]!, stores[1]!];
    await claim(forgotten, "s", "r1");
    const run = await restart(database);
    await database.pool.query("delete from claims");
    await database.pool.query("delete from instances where id = 'i1'");
    known.stateClaimsInRun(run, true);
    // Longer than two unanswered statements.
    expect(waits.map(({ ms }) => ms)).toEqual([15_000]);
    await join(database.pool, "i1");
    waits.pop()!.end();
    await eventually(
      () => database.pool.query("select from instances where id = 'i0' and stated_run = $1", [run]),
      ({ length }) => length === 1,
    );
    const [result] = await Promise.allSettled([known.claim("s", "d", "r2")]);
    expect(result).toMatchObject({ status: "rejected", reason: { status: 503, detail: expect.stringContaining("i1") } });
    forgotten.stateClaimsInRun(run, true);
    waits.pop()!.end();
    await eventually(
      () => known.find("s").catch(() => undefined),
      (found) => found?.requestId === "r1",
    );
  });

  test("a statement for a run of the server that has ended since is given up", async () => {
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    const { database, stores } = await start(1, { sleep: () => isOver });
    const run = await restart(database);
    stores[0]!.stateClaimsInRun("a run that has ended", false);
    resolve();
    await eventually(
      () => {
        stores[0]!.stateClaimsInRun(run, false);
        return stores[0]!.claim("s", "d", "r1").catch(() => undefined);
      },
      (claimed) => claimed !== undefined,
    );
  });

  test("a process that the database does not know any more grants itself no claim", async () => {
    const { database, stores } = await start(1);
    await database.pool.query("delete from instances");
    const [result] = await Promise.allSettled([stores[0]!.claim("s", "d", "r1")]);
    expect(result).toMatchObject({ status: "rejected", reason: { status: 503 } });
  });

  test("a lost process is not waited for when its replies have expired, or it was written off", async () => {
    const { database, stores } = await start(3);
    await database.pool.query(
      "update instances set stated_run = 'another', seen_at = authority_now() - interval '25 hours' where id = 'i1'",
    );
    await database.pool.query("update instances set stated_run = 'another', state = 'written_off' where id = 'i2'");
    await claim(stores[0]!, "s", "r1");
    await database.pool.query("update instances set seen_at = authority_now() - interval '23 hours' where id = 'i1'");
    const [result] = await Promise.allSettled([stores[0]!.claim("s2", "d", "r2")]);
    expect(result).toMatchObject({ status: "rejected", reason: { status: 503, detail: expect.stringContaining("i1") } });
  });

  test("a claim that this process does not hold ends, though nobody has released it", async () => {
    const { database, stores } = await start(2);
    await database.pool.query("insert into claims select 's', 'd', 'r0', 'i0', authority_now() + interval '1 day'");
    const { released } = await inFlight(stores[1]!, "s");
    await claim(stores[0]!, "s", "r1");
    await released;
  });
});
