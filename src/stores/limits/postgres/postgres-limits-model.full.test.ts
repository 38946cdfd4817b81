import * as fc from "fast-check";
import { describe, expect, test } from "bun:test";
import { eventually } from "../../../../test/support/eventually.ts";
import { runs } from "../../../../test/support/long.ts";
import { isTicket, tryTake } from "../../../../test/support/money/shared-limits.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import { StorageUnavailable } from "../../../requests/storage-unavailable.ts";
import type { PostgresConnection } from "../../postgres/postgres-pool.ts";
import { scope } from "../limit-store.contract.ts";
import type { LimitTicket } from "../limit-store.ts";
import { SharedLimitStore } from "../shared-limit-store.ts";
import type { LimitPool } from "./limit-membership.ts";
import { PostgresLimitAuthority } from "./postgres-limit-authority.ts";

const monotonicMs = (): number => Math.floor(performance.now());

const PROCESSES = 3;
const LIMIT = 60;

type Step =
  | { readonly takeBy: number; readonly count: number }
  | { readonly end: number }
  | { readonly undo: number }
  | { readonly fail: number; readonly isCommitted: boolean }
  | { readonly lose: number }
  | { readonly crash: "server" };

const process = fc.nat(PROCESSES - 1);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ takeBy: process, count: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ end: fc.nat(60) }) },
  { weight: 2, arbitrary: fc.record({ undo: fc.nat(60) }) },
  { weight: 2, arbitrary: fc.record({ fail: process, isCommitted: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ lose: process }) },
  { weight: 1, arbitrary: fc.record({ crash: fc.constant("server" as const) }) },
);

/** A pool whose next transaction fails, committed or not. */
class FlakyPool implements LimitPool {
  readonly #pool: LimitPool;
  fails: "before" | "after" | undefined;

  constructor(pool: LimitPool) {
    this.#pool = pool;
  }

  readonly query: LimitPool["query"] = (text, parameters) => this.#pool.query(text, parameters);
  readonly listen: LimitPool["listen"] = (...listening) => this.#pool.listen(...listening);

  async transaction<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    const { fails } = this;
    this.fails = undefined;
    if (fails === "before") throw new StorageUnavailable("unreachable", { cause: "the test" });
    const result = await this.#pool.transaction(work);
    if (fails === "after") throw new StorageUnavailable("unreachable", { cause: "the test" });
    return result;
  }
}

interface Member {
  readonly id: string;
  readonly pool: FlakyPool;
  readonly authority: PostgresLimitAuthority;
  readonly store: SharedLimitStore;
}

interface AdmittedRequest {
  readonly processId: string;
  readonly ticket: LimitTicket;
  isOpen: boolean;
  isUndone: boolean;
}

/** If a process is lost between a crash of the server and its statement, no other process can state the requests that it has admitted. */
async function hasStated(pool: LimitPool, processId: string): Promise<boolean> {
  const stated = "select 1 from limit_processes join limit_head using (nonce) where id = $1";
  return pool.query(stated, [processId]).then(
    ({ length }) => length > 0,
    () => false,
  );
}

describe.skipIf(!hasPostgres)("rate limits in PostgreSQL", () => {
  const postgres = postgresFixture();
  let started = 0;

  async function start(inner: LimitPool): Promise<Member> {
    const id = `p${++started}`;
    const pool = new FlakyPool(inner);
    const authority = new PostgresLimitAuthority({ pool, processId: id, monotonicMs, report: () => undefined, requestsPerSlice: 1 });
    const store = new SharedLimitStore(authority, monotonicMs);
    await authority.start(store);
    return { id, pool, authority, store };
  }

  test("processes that are lost, replies that are lost and a server that crashes never lead to more than the limit", async () => {
    const database = await postgres.open();
    let run = 0;
    const safe = fc.asyncProperty(fc.array(anyStep, { maxLength: 30, size: "max" }), async (steps) => {
      const scopes = [scope("key", `k${++run}`, { requests_per_minute: LIMIT, concurrent_requests: LIMIT })];
      const members: Member[] = [];
      for (let at = 0; at < PROCESSES; at++) members.push(await start(database.pool));
      let admitted: AdmittedRequest[] = [];
      const lost = new Set<string>();
      const counted = (): number => admitted.filter(({ isUndone }) => !isUndone).length;
      const take = async ({ id, store }: Member): Promise<boolean> => {
        const result = await tryTake(store, scopes);
        if (isTicket(result)) admitted.push({ processId: id, ticket: result, isOpen: true, isUndone: false });
        // The whole run takes less than a minute.
        expect(counted()).toBeLessThanOrEqual(LIMIT);
        return result !== undefined && !isTicket(result);
      };
      for (const step of steps) {
        if ("takeBy" in step) await Promise.all(Array.from({ length: step.count }, () => take(members[step.takeBy]!)));
        else if ("end" in step || "undo" in step) {
          const open = admitted.filter(({ isOpen }) => isOpen);
          const ending = open[("end" in step ? step.end : step.undo) % (open.length || 1)];
          if (!ending) continue;
          ending.isOpen = false;
          if ("end" in step) ending.ticket.end(1);
          else ending.ticket.undo();
          ending.isUndone = "undo" in step;
        } else if ("fail" in step) members[step.fail]!.pool.fails = step.isCommitted ? "after" : "before";
        else if ("lose" in step) {
          const { id, authority } = members[step.lose]!;
          await eventually(() => hasStated(database.pool, id), Boolean);
          await authority.stop();
          await database.pool.query("update limit_processes set seen_at = authority_now() - interval '20 seconds' where id = $1", [id]);
          members[step.lose] = await start(database.pool);
          lost.add(id);
        } else {
          await postgres.server.kill();
          await postgres.server.restart();
          // No other process can state the requests that a lost process has admitted.
          admitted = admitted.filter(({ processId }) => !lost.has(processId));
        }
      }
      for (const { pool } of members) pool.fails = undefined;
      // Until a process refuses a request: then the whole limit is used, except for the slices of lost processes.
      await eventually(
        () => take(members[0]!),
        (isRefused) => isRefused,
        { everyMs: 1 },
      );
      if (lost.size === 0) expect(counted()).toBe(LIMIT);
      for (const { authority } of members) await authority.close();
    });
    await fc.assert(safe, runs(5, 60));
  });
});
