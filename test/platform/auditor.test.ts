import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditReport } from "../../src/platform/audit/auditor.ts";
import { audit, auditInWords, crashInTheMiddle, makeTraffic, startOn } from "../support/money/audited-ledger.ts";
import { ask, startMoneyUpstream, usageOf, type MoneyUpstream } from "../support/upstreams/money-upstream.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { untilWritten } from "../support/gateway/until-written.ts";

/**
 * Tests the auditor on the ledger of a gateway that has served all kinds of traffic, including a crash. The tests damage it in one way
 * after the other.
 */

interface Row {
  readonly id: number;
  readonly hold_id: number;
  readonly request_id: string;
  readonly account_id: string;
}

let upstream: MoneyUpstream;
let gateway: RunningGateway;
let data: string;
let database: Database;

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "tollgate-audit-"));
  upstream = startMoneyUpstream();
  gateway = await startOn(data, upstream);
  await makeTraffic(gateway);
  await crashInTheMiddle(gateway, data);
  gateway = await startOn(data, upstream);
  open();
}, 300_000);

afterAll(async () => {
  database.close();
  await gateway.stop();
  await upstream.stop();
  rmSync(data, { recursive: true });
});

/** Saves a copy of the ledger, so that each test can restore it under the running gateway. */
function open(): void {
  database = new Database(join(data, "tollgate.db"), { strict: true });
  database.run("pragma busy_timeout = 120000");
  for (const table of ["entries", "prices"]) database.run(`create temp table good_${table} as select * from main.${table}`);
}

function repair(): void {
  database.transaction(() => {
    for (const table of ["entries", "prices"]) {
      database.run(`delete from main.${table}`);
      database.run(`insert into main.${table} select * from good_${table}`);
    }
  })();
}

/** Removes the indexes, so that the table accepts rows that they would reject. An attacker might do this. */
function dropIndexes(): void {
  for (const index of ["entries_closing", "entries_reference"]) database.run(`drop index if exists ${index}`);
}

function rowOf(where: string): Row {
  return database.query<Row, []>(`select id, hold_id, request_id, account_id from entries where ${where} order by id limit 1`).get()!;
}

const TIERED = "kind = 'settle' and model = 'counted' and prompt_tokens > 1000";
const MIXED = "kind = 'settle' and model = 'counted' and prompt_tokens = 100";
const FREE = "kind = 'settle' and model = 'gratis'";
const RELEASE = "kind = 'release' and model = 'broken'";
const EXCESS = "kind = 'settle' and model = 'paired' and uncharged_nanos = 0";
const SPARED = "kind = 'settle' and model = 'paired' and uncharged_nanos > 0";
const RECOVERED = "kind = 'settle' and actor = 'recovery'";

/** The entries that the audit reports for this reason after the prices were changed like this. */
async function namedAfter(sql: string, what: RegExp): Promise<(number | null)[]> {
  database.run(sql);
  const { discrepancies } = await audit(gateway);
  repair();
  return discrepancies.filter((each) => what.test(each.what)).map((each) => each.entry);
}

test("finds no discrepancy after real traffic and a crash", async () => {
  for (const each of [TIERED, MIXED, FREE, RELEASE, EXCESS, SPARED, RECOVERED]) expect(rowOf(each)).not.toBeNull();
  const entries = database.query<{ count: number }, []>("select count(*) as count from entries").get()!.count;
  expect(await audit(gateway)).toEqual({
    code: 0,
    stderr: "",
    checked: { entries, accounts: 3, requests: 7 },
    as_of_entry: entries,
    discrepancy_count: 0,
    discrepancies: [],
  });
  expect(await auditInWords(gateway)).toEqual({
    code: 0,
    stdout: `Checked ${entries} entries of 7 requests and 3 accounts, up to entry ${entries}. No discrepancies.\n`,
    stderr: "",
  });
});

describe("the auditor names", () => {
  /** A way to damage the ledger: the reported entry, the change, and the expected message. */
  const cases: [name: string, where: string, sql: string, what: RegExp][] = [
    ["a charge that is a nano-dollar too high", MIXED, "set amount_nanos = amount_nanos + 1", /tokens by their price/],
    ["a charge that is a nano-dollar too low", TIERED, "set amount_nanos = amount_nanos - 1", /tokens by their price/],
    ["a charge for what is free", FREE, "set amount_nanos = 1", /tokens by their price/],
    ["something spared that did not cost anything", FREE, "set uncharged_nanos = 1", /tokens by their price/],
    ["a charge that gives credit", FREE, "set amount_nanos = -5", /a charge takes credit/],
    ["another number of tokens in the prompt", MIXED, "set prompt_tokens = 101", /tokens by their price/],
    ["a prompt moved below its tier", TIERED, "set prompt_tokens = 1000", /tokens by their price/],
    ["tokens moved to a cheaper kind", MIXED, "set cached_tokens = cached_tokens + 1", /tokens by their price/],
    ["reasoning sold as plain output", MIXED, "set reasoning_tokens = 0", /tokens by their price/],
    ["more tokens cached than sent", MIXED, "set cached_tokens = 101", /parts are within their whole/],
    ["more tokens cached and written than sent", MIXED, "set cache_write_tokens = 70", /parts are within their whole/],
    ["more reasoning than answer", MIXED, "set reasoning_tokens = 21", /parts are within their whole/],
    ["a negative count", FREE, "set completion_tokens = -1, reasoning_tokens = -1", /counts are whole/],
    ["a count that is not there", FREE, "set prompt_tokens = null", /counts are whole/],
    ["an end without a hold", MIXED, "set hold_id = 999999", /an entry that ends a hold has one/],
    ["an end of another request", RELEASE, "set request_id = 'req_other'", /the requestId of its hold/],
    ["an end of another account", FREE, "set account_id = 'poor'", /the accountId of its hold/],
    ["an end of another key", MIXED, "set key_id = 'other'", /the keyId of its hold/],
    ["an end of another model", MIXED, "set model = 'gratis'", /the model of its hold/],
    [
      "an end at another price",
      FREE,
      "set price_version = (select version from prices where rates like '%37500%')",
      /priceVersion of its hold/,
    ],
    ["a price that nobody knows", FREE, "set price_version = 'made-up'", /a version of a price is known/],
    [
      "an excess charged to an account in debt",
      SPARED,
      "set amount_nanos = amount_nanos + uncharged_nanos, uncharged_nanos = 0",
      /in debt pays no more/,
    ],
    [
      "an excess spared for an account with credit",
      EXCESS,
      "set uncharged_nanos = 7, amount_nanos = amount_nanos - 7",
      /pays what a request cost/,
    ],
    ["a charge above the hold after a crash", RECOVERED, "set amount_nanos = amount_nanos + 1", /tokens by their price/],
    ["a whole charge passed off as one after a crash", EXCESS, "set actor = 'recovery'", /pays what a request cost/],
    ["a grant that takes", "reference = 'second'", "set amount_nanos = -3", /a grant adds credit/],
    ["a hold below zero", "kind = 'hold' and model = 'gratis'", "set amount_nanos = -1", /a hold reserves credit/],
    ["a grant turned into a hold", "reference = 'second'", "set kind = 'hold'", /has the fields of its kind/],
    ["a kind that there is not", RELEASE, "set kind = 'bonus'", /an entry can be read/],
    ["an amount that is none", MIXED, "set amount_nanos = 'much'", /an entry can be read/],
  ];
  for (const [name, where, sql, what] of cases) {
    test(`${name}, with its entry`, async () => {
      const { id, account_id: account } = rowOf(where);
      database.run(`update entries ${sql} where id = ${id}`);
      const { request_id: request } = rowOf(`id = ${id}`);
      const { discrepancies } = await gateway.platform<AuditReport>("GET", "/api/audit");
      repair();
      const named = discrepancies.find((each) => each.entry === id && what.test(each.what));
      expect(named, JSON.stringify(discrepancies)).toBeDefined();
      if (!/an entry can be read/.test(named!.what)) {
        expect([named!.request_id ?? "", account === named!.account || /account/.test(name)]).toEqual([request ?? "", true]);
      }
    });
  }

  test("a balance that is not the sum of the entries, with its account", async () => {
    database.run("update entries set amount_nanos = amount_nanos + 5 where reference = 'a'");
    const { discrepancies } = await audit(gateway);
    const inWords = await auditInWords(gateway);
    repair();
    expect(discrepancies).toMatchObject([{ account: "rich", what: "credit equals the sum of the entries", where: "account rich" }]);
    const { expected, found } = discrepancies[0]!;
    expect(expected).not.toBe(found);
    expect(inWords).toMatchObject({ code: 1, stderr: "tollgate: the ledger has 1 discrepancy\n" });
    expect(inWords.stdout).toEndWith(
      `1 discrepancy:\n\naccount rich\n  credit equals the sum of the entries\n  expected  ${expected}\n  found     ${found}\n`,
    );
  });

  test("a deleted entry, by the gap, and the hold that it left open, and exits with 1", async () => {
    const { id, request_id: request } = rowOf(MIXED);
    database.run(`delete from entries where id = ${id}`);
    const { code, stderr, discrepancies, discrepancy_count: count } = await audit(gateway);
    repair();
    expect([code, JSON.parse(stderr)]).toEqual([1, { code: "failed", detail: `the ledger has ${count} discrepancies`, param: null }]);
    expect(discrepancies[0]).toMatchObject({ entry: id + 1, what: "ids increase by one", expected: `entry ${id}` });
    for (const what of ["credit", "held", "spent"]) {
      expect(discrepancies).toContainEqual(expect.objectContaining({ account: "rich", what: `${what} equals the sum of the entries` }));
    }
    expect(JSON.stringify(discrepancies)).not.toContain(request);
  });

  test("a deleted last entry", async () => {
    const last = database.query<{ id: number }, []>("select max(id) as id from entries").get()!.id;
    database.run(`delete from entries where id = ${last}`);
    const { discrepancies } = await audit(gateway);
    repair();
    expect(discrepancies).toContainEqual(expect.objectContaining({ entry: last, what: "the last entry exists" }));
  });

  test("a second closing entry of the same hold", async () => {
    const first = rowOf(MIXED);
    const second = rowOf(TIERED);
    dropIndexes();
    database.run(`update entries set request_id = '${first.request_id}', hold_id = ${first.hold_id} where id = ${second.id}`);
    const { discrepancies } = await audit(gateway);
    repair();
    expect(discrepancies).toContainEqual(
      expect.objectContaining({
        entry: second.id,
        request_id: first.request_id,
        account: "rich",
        what: "an entry that ends a hold has one",
        expected: `hold ${first.hold_id}, open`,
        found: "a request whose hold has ended, or is another",
      }),
    );
  });

  test("a request that was charged twice, each time with a hold", async () => {
    const first = rowOf(MIXED);
    const second = rowOf(TIERED);
    dropIndexes();
    database.run(`update entries set request_id = '${first.request_id}' where id in (${second.id}, ${second.hold_id})`);
    const { discrepancies } = await audit(gateway);
    repair();
    expect(discrepancies).toMatchObject([
      { entry: second.hold_id, request_id: first.request_id, account: "rich", what: "a request has one hold" },
    ]);
  });

  test("a reference that is used twice in an account, and not one that two accounts use", async () => {
    dropIndexes();
    const { id } = rowOf("reference = 'second'");
    database.run(`update entries set reference = 'first' where id = ${id}`);
    const { discrepancies } = await audit(gateway);
    repair();
    expect(discrepancies).toMatchObject([{ entry: id, account: "rich", what: "a reference is used once per account", found: '"first"' }]);
  });

  test("every charge at a price whose rates or tiers were changed, or that was deleted", async () => {
    const tiered = rowOf(TIERED).id;
    const mixed = rowOf(MIXED).id;
    const byPrice = /tokens by their price/;
    const [{ hold_id: first }, byName] = [rowOf(MIXED), /named for/];
    expect(await namedAfter(`update prices set rates = replace(rates, '"37500"', '"37501"')`, byName)).toEqual([first]);
    expect(await namedAfter(`update prices set rates = replace(rates, '"37500"', '"75000"')`, byPrice)).toEqual([mixed]);
    expect(await namedAfter("update prices set tiers = replace(tiers, '1000,', '1001,')", byPrice)).toEqual([tiered]);
    const gone = await namedAfter("delete from prices where version = 'free'", /a version of a price is known/);
    expect(gone).toEqual([rowOf(FREE).hold_id, rowOf(FREE).id]);
  });

  test("a hold that has been open for more than a day", async () => {
    const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "k", models: ["*"], account: "rich" });
    await ask(gateway, key, "paired", usageOf(1, 1));
    untilWritten(join(data, "tollgate.db"));
    const { id, request_id: request } = rowOf("kind = 'hold' and id = (select max(id) from entries where kind = 'hold')");
    // A hold without its end is open. It is reported only if it is old.
    database.run(`delete from entries where hold_id = ${id}`);
    const young = await audit(gateway);
    database.run(`update entries set at_ms = at_ms - 25 * 3600 * 1000 where id = ${id}`);
    const old = await audit(gateway);
    const what = "a hold ends within a day";
    expect(young.discrepancies.filter((each) => each.what === what)).toEqual([]);
    expect(old.discrepancies.filter((each) => each.what === what)).toMatchObject([
      { entry: id, request_id: request, account: "rich", found: "open for 25 hours" },
    ]);
  });
});
