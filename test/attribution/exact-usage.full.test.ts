import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { TimeZone } from "../../src/lib/time/time-zone.ts";
import { openStores } from "../../src/stores/open-stores.ts";
import { openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { isLong } from "../support/long.ts";

const REQUESTS = isLong ? 1_000_000 : 20_000;
const FROM = Date.parse("2027-10-20T00:00:00Z");
const TO = Date.parse("2027-11-12T00:00:00Z");

/** In this period clocks are put back in Berlin, New York and St. John's. */
const ZONES = ["Europe/Berlin", "Asia/Kathmandu", ...(isLong ? ["UTC", "America/New_York", "America/St_Johns"] : [])];

/**
 * Writes ended requests of 10,000 end users, with 50 values of a tag, some without it. Holds are omitted, because reports do not count
 * them.
 */
function fill(path: string): void {
  const file = new Database(path);
  for (const pragma of ["journal_mode = off", "synchronous = off"]) file.run(`pragma ${pragma}`);
  file.run(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${REQUESTS}),
      h as (select i, i * 2654435761 % 4294967296 / 65536 as h, i * 40503 % 65536 as g, i * 7919 % 10000 as u from n)
    insert into entries (id, account_id, kind, amount_nanos, at_ms, actor, reason, request_id, key_id, model, price_version, hold_id,
      uncharged_nanos, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, provenance, upstream, attempts,
      attribution)
    select i, 'acme', iif(h % 29 = 0, 'release', 'settle'), iif(h % 29 = 0, 0, h * 1000003 * (1 + (g % 97 = 0) * 1000000)),
      ${FROM} + cast((i - 1) * ${(TO - FROM) / REQUESTS} as integer) - iif(g % 1000 = 0, 5000000, 0), 'key', 'complete', i,
      'key-' || (u % 3), 'model-' || (g % 4), 'version', 0, iif(h % 29 = 0, null, g % 5), iif(h % 29 = 0, null, h), 0, 0,
      iif(h % 29 = 0, null, g), 0, 'measured', iif(h % 29 = 0, null, 'upstream'), 1,
      iif(i % 17 = 0, null, json_object('user', 'user-' || u, 'tags', iif(i % 5 = 0, json_object('env', 'prod'), json_object('team', 'team-' || (g % 50))),
        'conversation', 'conversation-' || (i / 20))) from h`);
  // This test does not check balances, so they need not be computed at startup.
  file.run(`insert or replace into tallied (only, as_of_id, oldest_open_id) values (1, ${REQUESTS}, ${REQUESTS + 1})`);
  file.run("pragma journal_mode = wal");
  file.close();
}

/** Where the entries have the names by which a report groups requests. */
const NAMES = { user: "attribution ->> 'user'", tag: "attribution ->> '$.tags.team'", conversation: "attribution ->> 'conversation'" };

interface Row {
  readonly requests: number;
  readonly failed: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost: string;
  readonly [field: string]: unknown;
}

type Sums = readonly (bigint | number)[];

function nanosOf(dollars: string): bigint {
  const [whole, fraction] = dollars.split(".") as [string, string];
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"));
}

const sumsOf = (row: Row): Sums => [row.requests, row.failed, row.prompt_tokens, row.completion_tokens, nanosOf(row.cost)];

describe(`${REQUESTS.toLocaleString("en")} requests of 10,000 end users`, () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-attributed-"));
  let platform: PlatformInProcess;
  let file: Database;

  beforeAll(async () => {
    await (await openStores({ ...STORE_OPTIONS, dataFolder: folder })).close();
    fill(join(folder, "tollgate.db"));
    file = new Database(join(folder, "tollgate.db"), { readonly: true });
    platform = await openPlatform(new Map(), { folder, nowMs: () => TO });
    // First the entries are aggregated in the background.
    while ((await platform.call(OPERATOR, "showUsage", { query: "by=day" })).status === 503) await Bun.sleep(100);
  }, 600_000);
  afterAll(async () => {
    file.close();
    await platform.stop();
    rmSync(folder, { recursive: true });
  });

  async function ask(query: string): Promise<Row[]> {
    const rows: Row[] = [];
    let next: string | null = "";
    while (next !== null) {
      const cursor = next === "" ? "" : `&cursor=${next}`;
      const { status, body } = await platform.call(OPERATOR, "showUsage", { query: `${query}&limit=1000${cursor}` });
      expect([query, status]).toEqual([query, 200]);
      rows.push(...(body["data"] as Row[]));
      next = body["next"] as string | null;
    }
    return rows;
  }

  /** The sums of the entries between two moments, by name. Dollars and nanos are summed separately, so that neither sum overflows. */
  function addUp(fromMs: number, toMs: number, name: string, where = "true"): Map<string, Sums> {
    const sql = `select coalesce(${name}, 'none'), sum(kind = 'settle'), sum(kind = 'release'), coalesce(sum(prompt_tokens), 0),
      coalesce(sum(completion_tokens), 0), sum(amount_nanos / 1000000000), sum(amount_nanos % 1000000000)
      from entries where at_ms >= ? and at_ms < ? and ${where} group by 1`;
    const rows = file.query(sql).values(fromMs, toMs) as [string, ...number[]][];
    return new Map(
      rows.map(([key, requests, failed, prompt, completion, dollars, nanos]) => {
        return [key, [requests!, failed!, prompt!, completion!, BigInt(dollars!) * 1_000_000_000n + BigInt(nanos!)]];
      }),
    );
  }

  for (const name of ZONES) {
    const zone = TimeZone.find(name)!;
    const at = (day: string): number => zone.startOfDay(Date.parse(`${day}T00:00:00Z`));

    test(`usage of ${name} by end user, tag and conversation equals the sums of the entries exactly`, async () => {
      const span = `zone=${name}&from=2027-10-22&to=2027-11-08`;
      const [fromMs, toMs] = [at("2027-10-22"), at("2027-11-08")];
      for (const [by, field] of [
        ["user", "user"],
        ["tag:team", "tag"],
        ["conversation", "conversation"],
      ] as const) {
        const rows = await ask(`by=${by}&${span}`);
        expect(new Map(rows.map((row) => [String(row[field]), sumsOf(row)]))).toEqual(addUp(fromMs, toMs, NAMES[field]));
      }
      // Around the end of daylight saving time in Europe.
      const days = ["2027-10-30", "2027-10-31", "2027-11-01"];
      const byDay = await ask(`by=day,tag:team&zone=${name}&from=${days[0]}&to=${days.at(-1)}`);
      const ofUser = await ask(`by=day&user=user-77&account=acme&${span}`);
      for (const [index, day] of days.slice(0, -1).entries()) {
        const [start, end] = [at(day), at(days[index + 1]!)];
        const ofDay = byDay.filter((row) => row["day"] === day);
        expect(new Map(ofDay.map((row) => [String(row["tag"]), sumsOf(row)]))).toEqual(addUp(start, end, NAMES.tag));
        const own = ofUser.filter((row) => row["day"] === day).map(sumsOf);
        expect(own).toEqual([...addUp(start, end, "'all'", `${NAMES.user} = 'user-77'`).values()]);
      }
    });
  }
});
