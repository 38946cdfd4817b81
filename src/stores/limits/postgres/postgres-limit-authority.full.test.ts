import { afterEach, describe, expect, test } from "bun:test";
import { eventually } from "../../../../test/support/eventually.ts";
import { isTicket, tryTake } from "../../../../test/support/money/shared-limits.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import { WAIT_LIMIT_MS } from "../../../../test/support/wait-limit.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import { type NamedRates } from "../../../money/limits.ts";
import type { OpenPostgres } from "../../postgres/open-postgres.ts";
import { limitStoreContract, scope } from "../limit-store.contract.ts";
import type { LimitScope, LimitStore, LimitTicket } from "../limit-store.ts";
import { SharedLimitStore } from "../shared-limit-store.ts";
import { endProcess, isReady } from "./limit-membership.ts";
import { PostgresLimitAuthority, type PostgresLimitOptions } from "./postgres-limit-authority.ts";

/** A process with rate limits in PostgreSQL. */
interface LimitProcess {
  readonly authority: PostgresLimitAuthority;
  readonly store: SharedLimitStore;
}

const key = (limits: Partial<NamedRates>): readonly LimitScope[] => [scope("key", "k", limits)];

async function admitted(store: LimitStore, scopes: readonly LimitScope[], count: number, tokens = 1): Promise<LimitTicket[]> {
  const results = await Promise.all(Array.from({ length: count }, async () => store.take(scopes, tokens, 0)));
  return results.filter(isTicket);
}

describe.skipIf(!hasPostgres)("PostgresLimitAuthority", () => {
  const postgres = postgresFixture();
  let started = 0;
  const running: LimitProcess[] = [];

  afterEach(async () => {
    for (const { authority } of running.splice(0)) await authority.close();
  });

  async function start(
    { pool }: OpenPostgres,
    options: Partial<PostgresLimitOptions> = {},
    monotonicMs = (): number => Math.floor(performance.now()),
  ): Promise<LimitProcess> {
    const authority = new PostgresLimitAuthority({
      pool,
      processId: `p${++started}`,
      monotonicMs,
      report: () => undefined,
      // On a slow machine, a process may answer late.
      recallMs: WAIT_LIMIT_MS,
      ...options,
    });
    const store = new SharedLimitStore(authority, monotonicMs);
    const process = { authority, store };
    running.push(process);
    await authority.start(store);
    return process;
  }

  /** Starts processes on a new database, each with its own pool. */
  async function startMany(count: number): Promise<{ url: Secret; database: OpenPostgres; processes: LimitProcess[] }> {
    const database = await postgres.open();
    const processes = [await start(database)];
    while (processes.length < count) processes.push(await start(await postgres.open(database.url)));
    return { url: database.url, database, processes };
  }

  // LimitSlices are also cut from the small limits of the contract tests.
  limitStoreContract(
    "SharedLimitStore on PostgreSQL",
    async () => {
      const database = await postgres.open();
      const { pool } = database;
      await pool.query("create table test_clock as select 0::float8 as at_ms");
      await pool.query(
        "create or replace function authority_now() returns timestamptz language sql as 'select to_timestamp(at_ms / 1000) from test_clock'",
      );
      let nowMs = 0;
      // The test sends its heartbeats itself: without heartbeats, its slices end when time passes.
      const process = await start(database, { monotonicMs: () => 1e12, requestsPerSlice: 1 }, () => nowMs);
      await process.authority.stop();
      await pool.query("update limit_processes set seen_at = 'infinity'");
      let passing: Promise<unknown> = Promise.resolve();
      const pass = async (atMs: number): Promise<void> => {
        if (nowMs !== atMs) passing = pool.query("update test_clock set at_ms = $1", [(nowMs = atMs)]);
        await passing;
      };
      const { store: shared } = process;
      const store: LimitStore = {
        take: async (scopes, tokens, atMs) => {
          await pass(atMs);
          return shared.take(scopes, tokens);
        },
        refusalOf: async (scopes, tokens, atMs) => {
          await pass(atMs);
          return shared.refusalOf(scopes, tokens);
        },
        state: (...asked) => shared.state(...asked),
      };
      return { store, cleanUp: async () => undefined };
    },
    0.01,
  );

  test("admits exactly the limit over all processes, from slices and by asking", async () => {
    for (const [at, limits] of [{ requests_per_minute: 120 }, { tokens_per_minute: 120 }, { concurrent_requests: 120 }].entries()) {
      const { processes } = await startMany(3);
      const scopes = [scope("key", `k${at}`, limits)];
      for (const { store } of processes) expect(await admitted(store, scopes, 2)).toHaveLength(2);
      const all = await Promise.all(processes.map(({ store }) => admitted(store, scopes, 60)));
      expect(all.flat()).toHaveLength(114);
      for (const { store } of processes) expect(await store.take(scopes, 1)).toMatchObject({ remaining: 0 });
    }
  });

  test("admits requests from a slice without a query, and reports to other processes", async () => {
    const { processes, database } = await startMany(2);
    const scopes = key({ requests_per_minute: 6000 });
    await admitted(processes[0]!.store, scopes, 1);
    for (let at = 0; at < 500; at++) expect(processes[0]!.store.take(scopes, 1)).not.toBeInstanceOf(Promise);
    expect(await database.pool.query("select 1 from limit_scopes")).toHaveLength(1);
  });

  test("recalls the slice of another process for a request that needs it, and corrects it when its requests end", async () => {
    const { processes } = await startMany(2);
    const [one, two] = processes.map(({ store }) => store);
    const scopes = key({ tokens_per_minute: 1000, concurrent_requests: 1000 });
    const tickets = await admitted(one!, scopes, 1, 10);
    for (let at = 1; at < 20; at++) tickets.push(...(await admitted(one!, scopes, 1, 10)));
    for (const ticket of tickets.slice(0, 10)) ticket.end(1);
    expect(await two!.take(scopes, 891)).toMatchObject({ what: "tokens", remaining: 890 });
    for (const ticket of tickets.slice(10, 15)) ticket.end(2);
    for (const ticket of tickets.slice(15)) ticket.undo();
    await eventually(
      () => two!.refusalOf(scopes, 981),
      (refusal) => refusal?.remaining === 980,
    );
  });

  test("rejects a request with a 503, not a 429, that may need the slice of a process that does not answer", async () => {
    const database = await postgres.open();
    const [silent, other] = [await start(database), await start(await postgres.open(database.url), { recallMs: 100 })];
    const scopes = key({ requests_per_minute: 100 });
    await admitted(silent.store, scopes, 1);
    await silent.authority.stop();
    const results = await Promise.all(Array.from({ length: 100 }, () => tryTake(other.store, scopes)));
    const [taken, undecided] = [results.filter(isTicket).length, results.filter((result) => result === undefined).length];
    expect(taken + undecided).toBe(100);
    // A quarter of the rest is in the slice. On a slow machine, more requests wait in vain.
    expect(undecided).toBeGreaterThanOrEqual(25);
  });

  test("rejects a request with a 503, not a 429, for the requests in flight of a process that does not answer", async () => {
    const { processes, database } = await startMany(2);
    const [killed, other] = processes;
    const scopes = key({ concurrent_requests: 8 });
    await admitted(killed!.store, scopes, 8);
    await killed!.authority.stop();
    await database.pool.query("update limit_processes set seen_at = seen_at - interval '300 ms'");
    expect(await tryTake(other!.store, scopes)).toBeUndefined();
    const lose = "update limit_processes set seen_at = seen_at - interval '20 seconds' where id = $1";
    await database.pool.query(lose, [killed!.authority.processId]);
    expect(await admitted(other!.store, scopes, 9)).toHaveLength(8);
  });

  test("rejects a request with a 429 for the requests in flight of a process that has not called lately, and answers", async () => {
    const { processes, database } = await startMany(2);
    const [holder, other] = processes;
    const scopes = key({ concurrent_requests: 8 });
    await admitted(holder!.store, scopes, 8);
    await database.pool.query("update limit_processes set seen_at = seen_at - interval '1 second'");
    expect(await eventually(() => tryTake(other!.store, scopes), Boolean)).toMatchObject({ what: "concurrent" });
  });

  test("counts the slice of a lost process as used for a minute, and not its concurrent requests", async () => {
    const { processes, database } = await startMany(2);
    const [lost, other] = processes;
    const scopes = [key({ requests_per_minute: 100 }), [scope("account", "a", { concurrent_requests: 100 })]] as const;
    for (const each of scopes) await admitted(lost!.store, each, 1);
    await lost!.authority.stop();
    const lose = "update limit_processes set seen_at = seen_at - interval '20 seconds' where id = $1";
    await database.pool.query(lose, [lost!.authority.processId]);
    expect(await admitted(other!.store, scopes[0], 100)).toHaveLength(75);
    const refusal = await other!.store.refusalOf(scopes[0], 1);
    // The slice has been unusable for about 10 seconds.
    expect(refusal).toMatchObject({ what: "requests" });
    expect(refusal!.waitMs).toBeLessThanOrEqual(50_000);
    expect(await admitted(other!.store, scopes[1], 110)).toHaveLength(100);
  });

  test("after a crash of the server, processes state what they have admitted before anything is admitted again", async () => {
    const { processes } = await startMany(2);
    const [one, two] = processes.map(({ store }) => store);
    const scopes = key({ requests_per_minute: 100, concurrent_requests: 60 });
    const tickets = [...(await admitted(one!, scopes, 1)), ...(await admitted(one!, scopes, 9)), ...(await admitted(two!, scopes, 20))];
    await postgres.server.kill();
    await postgres.server.restart();
    const rest: LimitTicket[] = [];
    await eventually(
      async () => {
        const result = await tryTake(one!, scopes);
        if (isTicket(result)) rest.push(result);
        return result;
      },
      (result) => result !== undefined && !isTicket(result),
    );
    expect(rest).toHaveLength(30);
    for (const ticket of [...tickets, ...rest]) ticket.end(1);
    await eventually(
      () => tryTake(two!, scopes),
      (result) => isTicket(result),
    );
    const more = await Promise.all(Array.from({ length: 60 }, () => tryTake(two!, scopes)));
    expect(more.filter(isTicket)).toHaveLength(39);
  });

  test("after a crash of the server, what processes have admitted counts that have left within the minute", async () => {
    const { processes } = await startMany(2);
    const [one, two] = processes.map(({ store }) => store);
    const scopes = key({ requests_per_minute: 100, tokens_per_minute: 1000 });
    const tickets = [...(await admitted(one!, scopes, 1)), ...(await admitted(one!, scopes, 9)), ...(await admitted(one!, scopes, 50))];
    for (const ticket of tickets.slice(0, 55)) ticket.end(2);
    await one!.close();
    await processes[0]!.authority.close();
    await postgres.server.kill();
    await postgres.server.restart();
    const rest: LimitTicket[] = [];
    const refusal = await eventually(
      async () => {
        const result = await tryTake(two!, scopes);
        if (isTicket(result)) rest.push(result);
        return result;
      },
      (result) => result !== undefined && !isTicket(result),
    );
    expect([rest.length, refusal]).toMatchObject([40, { what: "requests" }]);
    expect(await two!.refusalOf(key({ tokens_per_minute: 1000 }), 1000)).toMatchObject({
      what: "tokens",
      remaining: 1000 - 55 * 2 - 5 - 40,
    });
  });

  test("a process that is known to have ended is not waited for after a crash of the server", async () => {
    const { url, processes, database } = await startMany(2);
    const { pool } = database;
    const { store, authority } = processes[0]!;
    const scopes = key({ requests_per_minute: 100 });
    await admitted(store, scopes, 1);
    await authority.stop();
    await endProcess(pool, authority.processId);
    await start(await postgres.open(url));
    expect(await admitted(processes[1]!.store, scopes, 110)).toHaveLength(75);
    await postgres.server.kill();
    await postgres.server.restart();
    const [joined] = await eventually(
      () => pool.query<{ nonce: string }>("select nonce from limit_processes join limit_head using (nonce)").catch(() => []),
      ({ length }) => length === 2,
    );
    expect(await isReady(pool, joined!.nonce)).toBe(true);
  });

  test("leaves nothing counted of a process that has returned its slices", async () => {
    const { processes } = await startMany(2);
    const scopes = key({ requests_per_minute: 100 });
    await admitted(processes[0]!.store, scopes, 1);
    await processes[0]!.store.close();
    await processes[0]!.authority.close();
    expect(await admitted(processes[1]!.store, scopes, 110)).toHaveLength(99);
  });
});
