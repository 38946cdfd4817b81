import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hold as sampleHold, settlement } from "../../../../test/support/money/ledger-samples.ts";
import { hasPostgres } from "../../../../test/support/postgres/find-postgres.ts";
import { ACCOUNT, LedgerProcesses } from "../../../../test/support/postgres/ledger-processes.ts";
import { postgresFixture } from "../../../../test/support/postgres/postgres-fixture.ts";
import type { Purse } from "../../../money/purse.ts";

describe.skipIf(!hasPostgres)("spending by end user in PostgreSQL", () => {
  const postgres = postgresFixture();
  let processes: LedgerProcesses;
  beforeAll(async () => {
    processes = await LedgerProcesses.create(postgres);
    await processes.credit(1_000_000n);
  });
  afterAll(() => processes.close());

  test("is counted where more requests ask for it than the process has connections, and the ledger goes on", async () => {
    const { authority, store } = await processes.open("p1");
    await store.widen([ACCOUNT], 100n);
    const atMs = Date.now();
    await store.hold(sampleHold("r1", 10n, { atMs, attribution: { user: "ada", tags: { team: "red" } } }));
    await store.settle("r1", settlement(10n, { atMs }));
    const purses = Array.from({ length: 24 }, (_, index): Purse => {
      if (index % 2 === 0) return { scope: "user", id: "account:acme:ada" };
      return { scope: "tag", id: `account:acme:${["team", "project", "stage"][index % 3]}=red` };
    });
    const counts = purses.map((purse) => authority.ensureCounted([purse]));
    await store.shipAll();
    await Promise.all(counts);
    const rows = "select id, month_nanos as nanos from purses where scope in ('user', 'tag') and month_nanos > 0 order by id";
    const ids = ["account:acme:ada", "account:acme:project=none", "account:acme:stage=none", "account:acme:team=red"];
    expect(await processes.rows(rows)).toEqual(ids.map((id) => ({ id, nanos: 10n })));
  });
});
