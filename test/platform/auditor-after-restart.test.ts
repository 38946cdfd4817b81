import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditReport } from "../../src/platform/audit/auditor.ts";
import { audit, makeTraffic, startOn } from "../support/money/audited-ledger.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { startMoneyUpstream, type MoneyUpstream } from "../support/upstreams/money-upstream.ts";

let upstream: MoneyUpstream;
let data: string;

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "tollgate-audit-"));
  upstream = startMoneyUpstream();
  const gateway = await startOn(data, upstream);
  await makeTraffic(gateway);
  await endOrderly(gateway);
}, 300_000);

afterAll(async () => {
  await upstream.stop();
  rmSync(data, { recursive: true });
});

/** Gives the gateway time to write everything: a stop would give up after some seconds. */
async function endOrderly(gateway: RunningGateway): Promise<void> {
  await gateway.end();
  await gateway.stop();
}

/** Changes the database of the stopped gateway, and returns the audit of the next one. */
async function auditAfter(...sql: string[]): Promise<AuditReport & { code: number }> {
  const database = new Database(join(data, "tollgate.db"));
  for (const each of sql) database.run(each);
  database.close();
  const gateway = await startOn(data, upstream);
  try {
    return await audit(gateway);
  } finally {
    await endOrderly(gateway);
  }
}

test("a restart changes nothing, and the auditor reports wrong tallies of an account and of a key", async () => {
  expect(await auditAfter()).toMatchObject({ code: 0, discrepancy_count: 0 });

  const tallied = await auditAfter("update tallies set credit_nanos = credit_nanos + 1 where scope = 'account' and id = 'rich'");
  expect(tallied.code).toBe(1);
  expect(tallied.discrepancies).toMatchObject([{ account: "rich", what: "credit equals the sum of the entries" }]);
  await auditAfter("update tallies set credit_nanos = credit_nanos - 1 where scope = 'account' and id = 'rich'");

  const spent = await auditAfter("update tallies set total_nanos = 0 where scope = 'key' and total_nanos > 0");
  expect(spent.code).toBe(1);
  expect(spent.discrepancies.map((each) => [each.key?.length, each.what])).toEqual([
    [12, "spent equals the sum of the entries"],
    [12, "spent equals the sum of the entries"],
  ]);
  expect(spent.discrepancies[0]).toMatchObject({ found: "$0.00" });
});

test("reports a charge that was duplicated after the unique index was dropped", async () => {
  const before = await auditAfter("delete from tallies", "delete from tallied");
  expect(before).toMatchObject({ code: 0, discrepancy_count: 0 });
  const { code, discrepancies } = await auditAfter(
    "drop index entries_closing",
    `create temp table again as select * from entries where kind = 'settle' and model = 'counted' limit 1`,
    "update again set id = (select max(id) from entries) + 1",
    "insert into entries select * from again",
  );
  expect(code).toBe(1);
  expect(discrepancies).toMatchObject([
    {
      entry: before.as_of_entry + 1,
      account: "rich",
      what: "an entry that ends a hold has one",
      found: expect.stringContaining("has ended"),
    },
  ]);
});
