import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "bun:test";
import { histories } from "../../../../test/lease-model/commands.ts";
import { INTERLEAVINGS } from "../../../../test/lease-model/interleavings.ts";
import { LeaseHistory } from "../../../../test/lease-model/play-history.ts";
import { PostgresModelAuthority } from "../../../../test/lease-model/postgres-model-authority.ts";
import { runs } from "../../../../test/support/long.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import type { PostgresPool } from "../../postgres/postgres-pool.ts";

/** How often the histories must reach each situation, per hundred: a generator that never reaches a situation proves nothing about it. */
const REACHED_OF_A_HUNDRED: Readonly<Record<string, number>> = {
  "a hold from a widened slice": 60,
  "a hold refused by the authority": 40,
  "a batch sent again, with more in it": 40,
  "a lost reply": 4,
  "a crash": 20,
  "a crash with open holds": 10,
  "a crashed process recovered": 30,
  "a new owner": 20,
  "a restored database": 10,
  "no admission after the deadline": 10,
  "a negative adjustment while credit is leased": 10,
  "an excess that was overdrawn": 5,
  "an excess that the account was spared": 3,
  "a credit line that was lowered": 2,
  "a settlement with an idempotent reply": 10,
  "a running process written off": 1,
  "changes of a process that was written off": 1,
};

/** Situations that only an owner process has. The authority in PostgreSQL serves no requests, and forgets nothing at a start. */
const OF_AN_OWNER = new Set(["a hold at the owner", "a new owner that does not know whose the open holds are"]);

describe.skipIf(!hasPostgres)("with the authority in PostgreSQL", () => {
  const postgres = postgresFixture();
  let pool: PostgresPool;
  beforeAll(async () => {
    ({ pool } = await postgres.open());
    await PostgresModelAuthority.prepare(pool);
  });

  describe("no lease is overspent and no charge is lost or made twice when", () => {
    for (const [name, commands, reached] of INTERLEAVINGS) {
      test(name, async () => {
        const seen = await LeaseHistory.play(commands, await PostgresModelAuthority.empty(pool));
        expect(reached.filter((what) => !seen.has(what) && !OF_AN_OWNER.has(what))).toEqual([]);
      });
    }
  });

  test("in every history, no lease is overspent and no charge is lost or made twice", async () => {
    const reached = new Map<string, number>();
    const parameters = runs(40, 5000);
    const once = fc.asyncProperty(histories, async (history) => {
      const seen = await LeaseHistory.play(history, await PostgresModelAuthority.empty(pool));
      for (const what of seen) reached.set(what, (reached.get(what) ?? 0) + 1);
    });
    await fc.assert(once, parameters);
    if (parameters.path !== undefined) return;
    const hundreds = parameters.numRuns! / 100;
    const missed = Object.entries(REACHED_OF_A_HUNDRED).filter(([what, least]) => (reached.get(what) ?? 0) < least * hundreds);
    expect(missed.map(([what]) => [what, reached.get(what)])).toEqual([]);
  }, 7_200_000);
});
